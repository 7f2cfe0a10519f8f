"""How soon the page shows a table, and how far it is behind a game of ten commits a second, in Chromium.

Also on a computer that is four times as slow, with the longest task while dice are thrown, and the weight
of the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from random import Random
from statistics import quantiles
from tempfile import TemporaryDirectory
from time import monotonic, sleep, time
from typing import Any

from playwright.sync_api import Browser, Page

from bench.ratio import Ratio
from bench.servers import serve
from service.ops.redis_server import RedisServer
from tests.support.browser import open_browser
from tests.support.http_client import HttpPlayer, HttpService, SeatedGame
from tests.support.sent_tables import keep_tokens, seat_plan

LOADS = 7
OLDER = 80
WATCHED = 60
PER_SECOND = 10
# What a person takes for at once.
SECOND = 1_000
UNSEEN = 100
# A phone of the middle class, as Lighthouse has it.
SLOWNESS = 4
SOON = 1_500
LONGEST_TASK = 200
MOST_KILOBYTES = 250
THROWS = 12
NOTE = """
window.seen = [];
window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((task) => task.duration)))
  .observe({ type: "longtask", buffered: true });
new MutationObserver(() => {
  const version = Number(document.querySelector("[data-version]")?.dataset.version ?? 0);
  if (version && version !== window.seen.at(-1)?.[0])
    requestAnimationFrame(() => window.seen.push([version, Date.now(), performance.now()]));
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
AT_ONCE = """localStorage.setItem("croupier.speed", '"off"');"""


def measure() -> Iterator[Ratio]:
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        server = stack.enter_context(serve(stack.enter_context(RedisServer(folder)).url))
        browser = stack.enter_context(open_browser())
        game, moves = begin_game(HttpService(server.base))
        list(islice(moves, OLDER))
        context = browser.new_context()
        keep_tokens(context, {game.id: game.tokens[0]})
        context.add_init_script(NOTE + AT_ONCE)
        page = context.new_page()
        loads = [load(page, f"{server.base}/games/{game.id}") for _ in range(LOADS)]
        yield Ratio("first table painted, cold", loads[0], SECOND, "ms", 1, at_most=True)
        warm = sorted(loads[1:])[len(loads) // 2]
        yield Ratio("first table painted, again", warm, SECOND, "ms", 1, at_most=True)
        delays = watch(page, moves)
        remark = f"{len(delays)} commits, {PER_SECOND} a second, the longest {max(delays):.0f} ms"
        late = quantiles(delays, n=20)[-1]
        yield Ratio("a commit until it is seen (95 %)", late, UNSEEN, "ms", 1, at_most=True, remark=remark)
        yield from measure_slowly(browser, server.base)


def measure_slowly(browser: Browser, base: str) -> Iterator[Ratio]:
    """A table that is opened for the first time, and dice that are thrown there, with a slow processor."""
    game, moves = begin_game(HttpService(base))
    list(islice(moves, OLDER))
    with browser.new_context() as context:
        keep_tokens(context, {game.id: game.tokens[0]})
        context.add_init_script(NOTE)
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWNESS})
        devtools.send("Network.enable")
        received: list[float] = []
        devtools.on("Network.loadingFinished", lambda reply: received.append(reply["encodedDataLength"]))
        first = load(page, f"{base}/games/{game.id}")
        page.wait_for_load_state("load")
        yield Ratio(f"first table, {SLOWNESS} × slower", first, SOON, "ms", 1, at_most=True)
        weight = sum(received) / 1_000
        remark = f"{len(received)} files and replies, as they come over the line"
        yield Ratio("weight of page and table", weight, MOST_KILOBYTES, "KB", 1, at_most=True, remark=remark)
        page.evaluate("window.tasks.length = 0")
        for table in islice(moves, THROWS):
            page.locator(f"[data-version='{table['version']}']").wait_for()
        tasks = page.evaluate("window.tasks")
        remark = f"{len(tasks)} tasks over 50 ms in {THROWS} turns"
        longest = max(tasks, default=0.0)
        yield Ratio("longest task of a throw", longest, LONGEST_TASK, "ms", 1, at_most=True, remark=remark)


def begin_game(service: HttpService) -> tuple[SeatedGame, Iterator[Any]]:
    """A long game, and its tables one answer after the other."""

    def call(method: str, address: str, body: Any = None, token: str | None = None, /) -> Any:
        return service.call(method, address, body, token).json

    game = SeatedGame(call("POST", "/v1/games", seat_plan("royale", 5, {"tiles": 6})))
    return game, play(HttpPlayer(call, Random(1)), game, call("GET", game.address))


def play(player: HttpPlayer, game: SeatedGame, table: Any) -> Iterator[Any]:
    while table["status"] != "over":
        yield (table := player.go_on(game, table))


def load(page: Page, address: str) -> float:
    """Milliseconds from asking for the page to the frame that shows the table."""
    page.goto(address)
    page.locator("[data-version]").wait_for()
    page.wait_for_timeout(100)
    return float(page.evaluate("window.seen[0][2]"))


def watch(page: Page, moves: Iterator[Any]) -> list[float]:
    """Milliseconds from each answer to the frame that shows it, or a later one."""
    sent = list(paced(moves))
    page.wait_for_timeout(2_000)
    seen = page.evaluate("window.seen")
    return [min(at for version, at, _ in seen if version >= sought) - told for sought, told in sent]


def paced(moves: Iterator[Any]) -> Iterator[tuple[int, float]]:
    due = monotonic()
    for table in islice(moves, WATCHED):
        yield table["version"], time() * 1_000
        due += 1 / PER_SECOND
        sleep(max(0.0, due - monotonic()))
