"""Pictures of every state of the page, to be looked at: python -m tests.take_pictures [FOLDER] [WORD]."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from playwright.sync_api import Browser, Page

from tests.support.browser import open_browser, open_form
from tests.support.http_client import Call, HttpClient, HttpPlayer, SeatedGame
from tests.support.sent_tables import asks, keep_tokens, play_until, seat_plan
from tests.support.service_process import run_service

SIZES = {360: 740, 390: 844, 768: 1024, 1280: 720, 1920: 1080}
SCHEMES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
ALL_TILES = {
    "A1": ("A1.hide", "A1.guess"),
    "B1": ("B1.place",),
    "B2": ("B2.bet",),
    "D2": ("D2.turn",),
    "E1": ("E1.close",),
    "E2": ("E2.give",),
    "F1": ("F1.block",),
    "F2": ("F2.remove", "F2.die"),
    "G1": ("G1.part", "G1.take"),
    "G2": ("G2.move",),
    "H1": ("H1.put",),
    "H2": ("H2.result", "H2.tile", "H2.die", "H2.gold"),
}
# Questions whose answers may be long, and how many characters they have together when they are.
LONG_LABELS = {"F2.remove": 300, "G2.move": 500, "H1.put": 400}
# Whatever a page shows when it is no longer loading.
THERE = "main .hero, main .board, main .lobby, main .winner, main .trouble, main .missing, main .stats .panel"
OTHERS = {"A": "A1", "B": "B2", "C": "C1", "D": "D1", "E": "E2", "F": "F1", "G": "G2", "H": "H1"}


class State(NamedTuple):
    """Where something is to be seen, with whose tokens, and what to do there before the picture."""

    address: str
    tokens: Mapping[str, str] = {}
    prepare: Callable[[Page], object] = lambda page: None
    motion: Literal["reduce", "no-preference"] = "reduce"


Maker = Callable[[HttpClient], State]


def caller(client: HttpClient) -> Call:
    return lambda method, address, body=None, token=None: client.call(method, address, body, token).json


def at_seat(game: SeatedGame, seat: int) -> State:
    return State(f"/games/{game.id}", {game.id: game.tokens[seat]})


def asked(prompt: str, *plan: Any, characters: int = 0) -> Maker:
    """A table where a seat is asked that, with long labels if wanted, as the seat sees it."""

    def make(client: HttpClient) -> State:
        game, seen = play_until(caller(client), seat_plan(*plan), asks(prompt, characters))
        return at_seat(game, next(ask["seats"][0] for ask in seen["asks"] if ask["prompt"] == prompt))

    return make


def late(*plan: Any) -> Maker:
    """Near the end of a round, when most dice lie."""

    def is_late(seen: Any) -> bool:
        return bool(seen["round"] > 1 and sum(seat["dice"] for seat in seen["seats"]) < 6)

    def make(client: HttpClient) -> State:
        game, seen = play_until(caller(client), seat_plan(*plan), is_late)
        return at_seat(game, seen["asks"][0]["seats"][0] if seen["asks"] else 0)

    return make


def over(client: HttpClient, counted: bool = False) -> State:
    plan = seat_plan("royale", 4, {"tiles": 6})
    game, _ = play_until(caller(client), plan, lambda seen: seen["status"] == "over", counted)
    return at_seat(game, 0)


def payout(client: HttpClient) -> State:
    """While notes fly: the last die of a round is placed when the page is there."""
    call = caller(client)
    game, _ = play_until(
        call, seat_plan("classic", 4), lambda seen: sum(seat["dice"] for seat in seen["seats"]) == 1
    )

    def place_it(page: Page) -> None:
        HttpPlayer(call, Random(0)).go_on(game, call("GET", game.address))
        page.locator(".gain").first.wait_for()

    return at_seat(game, 0)._replace(prepare=place_it, motion="no-preference")


def next_round(client: HttpClient) -> State:
    """What the first one has brought, beside the first turn of the second."""
    game, seen = play_until(caller(client), seat_plan("royale", 4), lambda seen: seen["round"] == 2)
    return at_seat(game, seen["asks"][0]["seats"][0])


def figures(client: HttpClient) -> State:
    over(client, counted=True)
    return State("/stats")


def dialog(name: str) -> Maker:
    def press(page: Page) -> None:
        page.get_by_role("button", name=name, exact=True).first.click()

    return lambda client: State("/", prepare=press)


def replay(client: HttpClient) -> State:
    return State(f"{over(client).address}?at=57", {}, lambda page: page.locator(".board").wait_for())


def private_table(client: HttpClient) -> Any:
    plan = {"edition": "modern", "seats": [{"name": "Anna"}, {"open": True}, {"bot": "greedy"}]}
    return client.post("/v1/games", {**plan, "visibility": "private"})


def guest(client: HttpClient) -> State:
    return State(f"/#code={private_table(client)['code']}", {}, lambda page: page.wait_for_selector(".sit"))


def form(page: Page) -> None:
    open_form(page, "Las Vegas Royale")


def tiles_with(code: str) -> list[str]:
    return [code, *(tile for letter, tile in OTHERS.items() if letter != code[0])][:6]


STATES: dict[str, Maker] = {
    "door": lambda client: State("/", prepare=lambda page: page.wait_for_selector(".lists")),
    "door-form": lambda client: State("/", prepare=form),
    "lobby-host": lambda client: at_seat(SeatedGame(private_table(client)), 0),
    "lobby-guest": guest,
    "classic": asked("turn.place", "classic", 4),
    "classic-chip-card": asked("chip_cards.take", "classic", 3, {"chip_cards": True}),
    "classic-neutral": asked("turn.place", "classic", 2, {"neutral_dice": True}),
    "modern": asked("turn.place", "modern", 6, {"bandit": True}),
    "modern-late": late("modern", 6, {"bandit": True}),
    "cards": asked("cards.select", "cards", 5),
    "cards-in-turn": asked("cards.lay", "cards", 3, {"sequential": True}),
    "royale": asked("turn.place", "royale", 5, {"tiles": 6}),
    "royale-late": late("royale", 5, {"tiles": 6}),
    **{
        f"tile-{prompt}": asked(prompt, "royale", 4, {"tile_codes": tiles_with(code)})
        for code, prompts in ALL_TILES.items()
        for prompt in prompts
    },
    **{
        f"tile-{prompt}-long": asked(
            prompt, "royale", 4, {"tile_codes": tiles_with(prompt[:2])}, characters=characters
        )
        for prompt, characters in LONG_LABELS.items()
    },
    "payout": payout,
    "next-round": next_round,
    "over": over,
    "stats": figures,
    "help": dialog("How to play"),
    "settings": dialog("Settings"),
    "replay": replay,
    "unknown": lambda client: State("/games/g_0000000000000000000000"),
}


def take(browser: Browser, base: str, name: str, state: State, folder: Path) -> None:
    with browser.new_context(reduced_motion=state.motion) as context:
        keep_tokens(context, state.tokens)
        page = context.new_page()
        page.goto(base + state.address)
        page.locator(THERE).first.wait_for()
        state.prepare(page)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for width, height in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)


def main(target: str = "build/pictures", word: str = "") -> int:
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as data,
        run_service(Path(data) / "data") as (base, _),
        open_browser() as browser,
        closing(HttpClient(base)) as client,
    ):
        for name, make in STATES.items():
            if word in name:
                take(browser, base, name, make(client), folder)
                print(name, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
