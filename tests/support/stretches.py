"""Measures how long each operation holds an API process with its dearest input; run as a program.

All requests of an API process share a thread, and gevent lets another one run when one waits. This program
calls the application as gunicorn's worker does, on a real Redis, and measures the processor time of the
thread between two switches. It prints a line of JSON for each call.
"""

# ruff: noqa: E402 - gevent has to patch the standard library before anything else is imported
from gevent import monkey

monkey.patch_all()

import gc
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from io import BytesIO
from time import thread_time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import greenlet
import msgspec
from flask import Flask
from gevent import get_hub
from msgspec import Struct
from msgspec.structs import replace
from redis import Redis
from werkzeug.test import EnvironBuilder

from events.commit import encode
from events.redis import connect
from events.values import SeatPlan
from service import logs
from service.config import UNLIMITED, Settings
from service.container import Backend, build_backend
from service.fairness.export_file import MOST_COMMITS, write_file
from service.games.command_limits import MOST_FORKS
from service.games.idempotency import name_game
from service.history.imports import MOST_OBJECTS, SMALL_FILE
from service.http.app import DOORBELL, create_app
from service.http.operation import Operation
from service.http.register import OPERATIONS
from tests.support.api_client import ApiClient, Game, PlayerClient, project
from tests.support.finished_games import finished_log, long_log, longest_log, say_that_all_are_listed
from tests.support.games import play_answers
from tests.support.sent_tables import sent_tables
from tests.support.waiting import wait_until

NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
ROWS = 2_000
EXPORTED = 100
OWN_GAMES = 100
# Forks of an import that is a task.
LARGE = 3


class Wish(NamedTuple):
    """One call: method, address, body and headers."""

    method: str
    address: str
    body: Any = None
    token: str | None = None
    headers: Mapping[str, str] = {}


class World(Struct, frozen=True):
    """What the dearest calls are about.

    `over` is a game with as many commits as any may have. `running` is a fork of it that goes on, `voided`
    one that has ended, each with the tokens of its seats; `waiting` and `starting` are tables with open
    seats. `decided` is the address of a bot's decision. `player` and `leaver` sit in many games. `task` is
    that of a large import.
    """

    over: str
    commits: int
    running: Game
    voided: Game
    answer: Mapping[str, Any]
    answerer: str
    waiting: Game
    starting: Game
    decided: str
    code: str
    player: PlayerClient
    leaver: PlayerClient
    table: Mapping[str, Any]
    task: str


class Stretches:
    """Measures the longest stretch of processor time between two switches of greenlets."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._since = thread_time()

    def __enter__(self) -> "Stretches":
        self.longest = 0.0
        self._since = thread_time()
        greenlet.settrace(self._record)
        return self

    def __exit__(self, *fault: object) -> None:
        self._end()
        greenlet.settrace(None)

    def _record(self, event: str, switch: tuple[Any, Any]) -> None:
        if switch[0] is not get_hub():
            self._end()
        self._since = thread_time()

    def _end(self) -> None:
        self.longest = max(self.longest, thread_time() - self._since)


def send(app: Flask, wish: Wish) -> tuple[int, int, float]:
    """Return status, length and the longest stretch of a call, as gunicorn's worker makes it."""
    raw = wish.body if isinstance(wish.body, bytes) or wish.body is None else json.dumps(wish.body).encode()
    headers = {**({"Authorization": f"Bearer {wish.token}"} if wish.token else {}), **wish.headers}
    if raw is not None and "Content-Type" not in headers:
        headers["Content-Type"] = "application/json"
    address = urlsplit(wish.address)
    environ = EnvironBuilder(
        path=address.path,
        query_string=address.query,
        method=wish.method,
        headers=[*headers.items()],
        input_stream=BytesIO(raw) if raw is not None else None,
        content_length=None if raw is None else len(raw),
    ).get_environ()
    told: list[str] = []

    def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
        told.append(status)

    length = 0
    # A full collection falls into any call, and its length is that of the heap of this program.
    gc.collect()
    gc.disable()
    with Stretches() as stretches:
        reply = app.wsgi_app(environ, start_response)
        for piece in reply:
            length += len(piece)
            if piece.startswith(b"event: ") and b"limit" in piece:
                break
        close = getattr(reply, "close", None)
        if close:
            close()
        # What a request has left to the background counts for it, too.
        imports = app.extensions["services"].import_tasks
        wait_until(lambda: imports.is_idle, "the end of imports in the background")
    gc.enable()
    return int(told[0].split()[0]), length, stretches.longest


@contextmanager
def open_cold(url: str) -> Iterator[Flask]:
    """An application that has not read anything yet."""
    with connect(url) as client:
        app = create_app(Settings(limits=UNLIMITED), client)
        yield app
        app.extensions[DOORBELL].close()


def build_world(url: str, client: Redis) -> World:
    backend = build_backend(client)
    say_that_all_are_listed(client)
    over, commits, seed = longest_log(MOST_COMMITS - 10)
    backend.store.create_with_history(over, commits, {"seed": seed})
    _fill_lists(backend)
    with open_cold(url) as app:
        api = ApiClient(app.test_client())
        running, voided = (_fork(api, over, len(commits)) for _ in range(2))
        for token in voided.tokens.values():
            api.call("POST", f"{voided.address}/void", {"agrees": True}, token)
        table = api.get(running.address).get_json()
        answerer = running.tokens[table["asks"][0]["seats"][0]]
        ask = next(ask for ask in api.get(running.address, answerer).get_json()["asks"] if ask["yours"])
        player, leaver = (PlayerClient(api, name) for name in ("Petra", "Lea"))
        for _ in range(OWN_GAMES):
            player.set_up({"name": "Ben"})
            leaver.set_up({"name": "Ben"})
        waiting, starting = (
            api.create({"name": "Anna"}, *[{"open": True}] * 5, edition="modern") for _ in range(2)
        )
        private = {"edition": "classic", "seats": [{"name": "Anna"}, {"open": True}], "visibility": "private"}
        code = api.call("POST", "/v1/games", private)["code"]
        file = write_file(long_log(LARGE)[1])
        task = api.post("/v1/imports", file, Content_Type=NDJSON).headers["Location"]
    project(client, steps=20)
    return World(
        over=over,
        commits=len(commits),
        running=running,
        voided=voided,
        answer={"ask": ask["ask"], "choice": ask["options"][0]["choice"]},
        answerer=answerer,
        waiting=waiting,
        starting=starting,
        decided=_play_with_bots(backend),
        code=code,
        player=player,
        leaver=leaver,
        table=max((sent.table for sent in sent_tables("royale", {"tiles": 6}, 5, 1)), key=_measure),
        task=task,
    )


def _play_with_bots(backend: Backend) -> str:
    """The address of the last decision in a game of bots."""
    games = backend.games
    game = games.create("royale", {"tiles": 6}, [SeatPlan(bot="random")] * 5).game
    *_, last = play_answers(games, game)
    return f"/v1/games/{game}/decisions/{last.version}"


def _fork(api: ApiClient, game: str, commits: int) -> Game:
    seats = [{"name": f"Anna {number}"} for number in range(6)]
    return Game(api, api.call("POST", f"/v1/games/{game}/forks", {"at": commits - 1, "seats": seats}))


def _measure(table: Mapping[str, Any]) -> int:
    return len(json.dumps(table))


def _fill_lists(backend: Backend) -> None:
    """Many rows of the lobby, and many files to export."""
    _, commits, seed = finished_log("royale", 5, (("tiles", 6),))
    names = [name_game(sha256(b"export %d" % number).digest()) for number in range(ROWS)]
    for name in names[:EXPORTED]:
        backend.store.create_with_history(name, commits, {"seed": seed})
    snapshot = backend.games.snapshot(names[0])
    for name in names:
        backend.lobby.update(replace(snapshot, game=name))


def make_junk() -> Iterator[Any]:
    """Bodies of almost 16 KB of which nothing is wanted."""
    many: list[Any] = [{f"a{number}": 1 for number in range(1_500)}, [{}] * 5_000]
    for junk in many:
        yield _write(junk)
        for member in ("seats", "options", "table"):
            yield _write({member: junk})


def _write(junk: Any) -> bytes:
    return json.dumps(junk, separators=(",", ":")).encode()


def list_imports() -> Iterator[bytes]:
    """Files that cost most, to accept and to refuse."""
    commits = long_log(MOST_FORKS)[1]
    file = write_file(commits)
    yield file
    yield write_file(long_log(1)[1])
    # One document of as many objects as it may hold.
    yield b"[" + b",".join([b'{"a":"123456789"}'] * (SMALL_FILE // 18)) + b"]"
    # As many objects and lines as they may have, in commits of the right form.
    first = json.loads(encode(commits[0]))
    for name in ("key", "request"):
        first.pop(name, None)
    wide = json.dumps({**first, "x": [{}] * (MOST_OBJECTS - 100)}).encode()
    yield b"\n".join([wide] * (8_000_000 // (len(wide) + 1)))
    votes = [encode(replace(commits[1], version=version)) for version in range(2, MOST_COMMITS)]
    yield b"\n".join([encode(replace(commits[0], key="", request="")), *votes])
    yield b"{}\n" * 2_700_000
    yield b"x" * 8_000_000


def list_wishes(world: World) -> Mapping[str, list[Wish]]:
    """The dearest calls of every operation."""
    over = f"/v1/games/{world.over}"
    running = world.running.address
    waiting = world.waiting.address
    seat = world.running.tokens[0]
    host = world.waiting.tokens[0]
    start = f"{world.starting.address}/start"
    mine = world.player.token
    webhook = "/v1/webhooks/w_0000000000000000000000"
    remote_bot = "/v1/remote-bots/p_0000000000000000000000"
    last = world.commits
    names = [{"name": "\U0001f3b2" * 40, "entropy": "\U0001f3b2" * 128}] * 6
    get = partial(Wish, "GET")
    post = partial(Wish, "POST")
    return {
        "advise": [post("/v1/advice", {"table": world.table, "seat": world.table["you"]})],
        "listBots": [get("/v1/bots")],
        "findGame": [post("/v1/codes", {"code": world.code})],
        "listEditions": [get("/v1/editions")],
        "listEventTypes": [get("/v1/event-types")],
        "exportGames": [
            get("/v1/exports?limit=100"),
            get("/v1/exports?limit=100", headers={"Accept-Encoding": "gzip"}),
        ],
        "createGame": [post("/v1/games", {"edition": "modern", "seats": names, "options": {"bandit": True}})],
        "listGames": [
            get("/v1/games?limit=100"),
            get("/v1/games?status=over&limit=100&order=changed"),
            get("/v1/games?limit=100&name=Nobody&edition=royale&status=over"),
        ],
        "showTable": [get(running, token=seat), get(f"{over}?at={last - 2}")],
        "showPicture": [get(f"{running}/picture.svg"), get(f"{over}/picture.svg?at={last - 2}")],
        "analyseGame": [get(f"{over}/analysis")],
        "showAudit": [get(f"{over}/audit"), get(f"{running}/audit")],
        "showDecision": [get(f"{over}/decisions/{last - 2}"), get(world.decided)],
        "rerunDecision": [post(f"{world.decided}/rerun", None)],
        "showDiff": [get(f"{over}/diff?from=2400&to=3400"), get(f"{over}/diff?from={last - 1000}&to={last}")],
        "showEvents": [
            get(f"{over}/events?limit=1000"),
            get(f"{over}/events?limit=1000", headers={"Accept-Encoding": "gzip"}),
            get(f"{over}/events"),
            get(f"{over}/events", headers={"Accept": NDJSON}),
            get(f"{over}/events", headers={"Accept": SSE}),
            get(f"{running}/events?after={last - 5}&limit=5", None, seat, {"Accept": SSE}),
        ],
        "explainVersion": [get(f"{over}/explain/{last}"), get(f"{over}/explain/{last - 1}")],
        "exportGame": [get(f"{over}/export"), get(f"{running}/export", token=seat)],
        "forkGame": [post(f"{over}/forks", {"at": last - 1, "seats": names})],
        "showKnowledge": [get(f"{over}/knowledge?seat=0&at={last - 2}")],
        "leaveTable": [post(f"{running}/leave", {"for_good": False}, seat)],
        "makeRematch": [post(f"{world.voided.address}/rematch", {}, world.voided.tokens[0])],
        "returnToTable": [post(f"{running}/return", {}, seat)],
        "showTimeline": [get(f"{over}/timeline")],
        "voidGame": [post(f"{running}/void", {"agrees": True}, seat)],
        "importGame": [post("/v1/imports", file, None, {"Content-Type": NDJSON}) for file in list_imports()],
        "showMe": [get("/v1/me", token=mine)],
        "renameMe": [Wish("PATCH", "/v1/me", {"name": "\U0001f3b2" * 40}, mine)],
        "eraseMe": [Wish("DELETE", "/v1/me", None, world.leaver.token)],
        "showMyEvents": [get("/v1/me/events?limit=1000", token=mine), get("/v1/me/events", token=mine)],
        "listMyGames": [get("/v1/me/games?limit=100", token=mine)],
        "exportMyGames": [get("/v1/me/export?limit=1000", token=mine)],
        "createPlayer": [post("/v1/players", {"name": "\U0001f3b2" * 40})],
        "showPlayer": [get(f"/v1/players/{world.player.id}")],
        "listProblems": [get("/v1/problems")],
        "showProblem": [get("/v1/problems/bad_file")],
        "showStats": [get("/v1/stats")],
        "showProgress": [get(world.task)],
        "cancelTask": [Wish("DELETE", world.task)],
        "createTicket": [post("/v1/tickets", {"game": world.running.id}, seat)],
        "showFrontDoor": [get("/")],
        "showDocs": [get("/docs")],
        "showGuide": [get("/docs/operating"), get("/docs/rulings")],
        "showReference": [get("/docs/reference")],
        "showReferenceFile": [get("/docs/reference/swagger-ui-bundle.js")],
        "showGamePage": [get(f"/games/{world.over}")],
        "livez": [get("/livez")],
        "showMetrics": [get("/metrics")],
        "showIndex": [get("/v1")],
        "showFeed": [get("/v1/feed?limit=1000"), get("/v1/feed?limit=1000", token=mine)],
        "showRules": [get("/v1/editions/royale/rules")],
        "showSigningKeys": [get("/.well-known/croupier-keys")],
        "showModelIndex": [get("/llms.txt")],
        "listRemoteBots": [get("/v1/remote-bots")],
        "listMyRemoteBots": [get("/v1/me/remote-bots", token=mine)],
        "registerRemoteBot": [post("/v1/remote-bots", {"name": "Carlo", "build": "1"}, mine)],
        "showRemoteBot": [get(remote_bot)],
        "changeRemoteBot": [Wish("PATCH", remote_bot, {"build": "2"}, mine)],
        "eraseRemoteBot": [Wish("DELETE", remote_bot, None, mine)],
        "listWebhooks": [get("/v1/webhooks", token=mine)],
        "createWebhook": [post("/v1/webhooks", {"url": "https://127.0.0.1/"}, mine)],
        "showWebhook": [get(webhook, token=mine)],
        "changeWebhook": [Wish("PATCH", webhook, {"format": "discord"}, mine)],
        "deleteWebhook": [Wish("DELETE", webhook, None, mine)],
        "listDeliveries": [get(f"{webhook}/deliveries", token=mine)],
        "sendTest": [post(f"{webhook}/test", {}, mine)],
        "rotateSecret": [post(f"{webhook}/secret", {}, mine)],
        "replayWebhook": [post(f"{webhook}/replay", {"after": "0"}, mine)],
        "showContract": [get("/openapi.yaml")],
        "showJsonContract": [get("/openapi.json", headers={"Accept-Encoding": "gzip"})],
        "showRobots": [get("/robots.txt")],
        "showSecurity": [get("/.well-known/security.txt")],
        "showPageFile": [get("/page/x/app/html.js")],
        "readyz": [get("/readyz")],
        "showStatsPage": [get("/stats")],
        # What ends others comes last.
        "choose": [post(f"{running}/choices", world.answer, world.answerer)],
        "takeSeat": [post(f"{waiting}/seats", names[0])],
        "startGame": [post(start, {"bot": "random"}, world.starting.tokens[0])],
        "cancelGame": [post(f"{waiting}/cancel", {}, host)],
        "changeToken": [post("/v1/me/token", b"", mine)],
    }


def list_junk(world: World, operation: Operation) -> list[Wish]:
    """What nothing is wanted of, to an operation that takes a body."""
    if operation.body is None:
        return []
    address = operation.path.replace("{game}", world.running.id)
    return [Wish(operation.method, address, body, world.running.tokens[0]) for body in make_junk()]


class Measured(Struct, frozen=True):
    """What one call of an operation took; `milliseconds` is its longest stretch of processor time."""

    operation: str
    call: str
    status: int
    length: int
    milliseconds: float


def measure(app: Flask, operation: str, call: str, wish: Wish) -> Measured:
    status, length, longest = send(app, wish)
    return Measured(operation, call, status, length, round(longest * 1000, 1))


def measure_all(url: str, world: World, operation: Operation, wishes: list[Wish]) -> Iterator[Measured]:
    """Make the dearest calls, each with nothing cached and once more, and send junk."""
    for number, wish in enumerate(wishes):
        with open_cold(url) as app:
            for call in ("cold", "again"):
                yield measure(app, operation.id, f"{number} {call}", wish)
    with open_cold(url) as app:
        for number, wish in enumerate(list_junk(world, operation)):
            yield measure(app, operation.id, f"junk {number}", wish)


def main(url: str, *names: str) -> None:
    """Measure all operations, or those of the names, and print a line for each call."""
    logs.configure("error")
    with connect(url) as client:
        world = build_world(url, client)
    wishes = list_wishes(world)
    operations = {operation.id: operation for operation in OPERATIONS}
    assert wishes.keys() == operations.keys(), (
        f"name the dearest calls of {wishes.keys() ^ operations.keys()}"
    )
    gc.collect()
    gc.freeze()
    for name in names or wishes:
        for measured in measure_all(url, world, operations[name], wishes[name]):
            print(msgspec.json.encode(measured).decode(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
