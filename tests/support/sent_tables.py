"""Tables as clients describe them: as shown, written by hand, and spoiled."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from playwright.sync_api import BrowserContext

from rules.editions import EDITIONS
from rules.state import State
from service.games.table_view import render_table
from service.languages.catalogue import ENGLISH
from tests.support.bots import RANDOM, TABLES, states_of_game
from tests.support.http_client import Call, HttpPlayer, SeatedGame

CODES = tuple(EDITIONS.newest["royale"].tiles)
# Each tile where it is asked most, beside the tables of all editions.
EVERY_TABLE: tuple[tuple[str, dict[str, Any], int], ...] = (
    *TABLES,
    ("classic", {"hide_money": True, "chip_cards": True}, 3),
    ("royale", {"tiles": 6}, 2),
    ("royale", {"tiles": 6, "fresh_tiles": True}, 5),
    ("cards", {}, 5),
    *(("royale", {"tile_codes": (code,)}, 3) for code in CODES),
)


class Sent(Struct, frozen=True):
    """What is asked in a game, and what the seat sees of it."""

    state: State
    seat: int
    table: dict[str, Any]


def sent_tables(edition: str, options: dict[str, Any], players: int, seed: int) -> Iterator[Sent]:
    """Every table of a game, for every seat that is asked there."""
    for state in states_of_game(edition, options, [RANDOM] * players, seed):
        for seat in state.ask.awaited if state.ask is not None else ():
            yield Sent(state, seat, show(state, seat))


def show(state: State, seat: int) -> dict[str, Any]:
    """As it comes over the wire."""
    table: dict[str, Any] = msgspec.json.decode(ENGLISH.encoder.encode(render_table(state, seat, 1)))
    return table


ODD: tuple[Any, ...] = (
    None,
    -1,
    0,
    1,
    2,
    7,
    10**9,
    10**400,
    1.5,
    True,
    "",
    "x",
    "seat-0",
    "neutral",
    "bandit",
    "A1",
    "5d",
    [],
    {},
)


def spoil(table: dict[str, Any], random: Random) -> dict[str, Any]:
    """The same with one to three things changed, wherever."""
    spoiled = deepcopy(table)
    for _ in range(random.randint(1, 3)):
        place, key = random.choice([*_places(spoiled)])
        random.choice((_replace, _replace, _drop, _double, _nudge))(place, key, random)
    return spoiled


def _places(thing: Any) -> Iterator[tuple[Any, Any]]:
    """Every member and element of it, however deep."""
    for key in thing if isinstance(thing, dict) else range(len(thing)):
        yield thing, key
        if isinstance(thing[key], (dict, list)):
            yield from _places(thing[key])


def _replace(place: Any, key: Any, random: Random) -> None:
    place[key] = deepcopy(random.choice(ODD))


def _drop(place: Any, key: Any, random: Random) -> None:
    del place[key]


def _double(place: Any, key: Any, random: Random) -> None:
    if isinstance(place, list):
        place.append(deepcopy(place[key]))


def _nudge(place: Any, key: Any, random: Random) -> None:
    if isinstance(place[key], int):
        place[key] += random.choice((-1, 1))


def wooden_table() -> dict[str, Any]:
    """Three players in the second round; the first has rolled six dice."""
    notes = ([60_000], [90_000], [50_000, 10_000], [70_000, 20_000], [80_000], [40_000, 30_000])
    dice = {1: {"seat-1": 2}, 3: {"seat-0": 2, "seat-2": 1}, 5: {"seat-2": 1}}
    return {
        "edition": "classic",
        "round": 2,
        "seats": [
            {"dice": 6, "notes": [90_000, 40_000]},
            {"dice": 6, "notes": [60_000]},
            {"dice": 6, "notes": []},
        ],
        "casinos": [
            {
                "number": number,
                "notes": notes[number - 1],
                "dice": [{"owner": owner, "small": count} for owner, count in dice.get(number, {}).items()],
            }
            for number in range(1, 7)
        ],
        "roll": {"own": [1, 1, 1, 2, 5, 6]},
    }


Seen = Callable[[Any], bool]
MOST_GAMES = 60
# Of more options the page offers one step at a time.
MOST_FLAT = 6
NAMES = ("Anna", "Ben", "Maximiliane-Sophie", "🦊 Fox & Co", "Emil", "Fred")


def seat_plan(
    edition: str, players: int, options: Mapping[str, Any] | None = None, bot: str = ""
) -> dict[str, Any]:
    """The first seat is Anna's, the others are people too, or bots of one level."""
    others = [{"bot": bot} if bot else {"name": name} for name in NAMES[1:players]]
    return {"edition": edition, "options": dict(options or {}), "seats": [{"name": "Anna"}, *others]}


def play_until(
    call: Call, plan: Mapping[str, Any], is_seen: Seen, counted: bool = False
) -> tuple[SeatedGame, Any]:
    """A game of that plan and the table where it is seen; new games are begun until one shows it.

    They are the same games every time, unless they are to be `counted` in lists and statistics.
    """
    for number in range(MOST_GAMES):
        luck = {} if counted else {"sandbox": {"seed": f"game {number}"}}
        game, player = (
            SeatedGame(call("POST", "/v1/games", {**plan, **luck})),
            HttpPlayer(call, Random(number)),
        )
        table = call("GET", game.address)
        while table["status"] != "over" and not is_seen(table):
            table = player.go_on(game, table)
        if is_seen(table):
            return game, table
    raise AssertionError(f"{MOST_GAMES} games and it was not seen")


def asks(prompt: str, characters: int = 0) -> Seen:
    """Whether that is asked, with so many characters in the labels of six options or fewer."""

    def is_seen(table: Any) -> bool:
        asked = next((ask for ask in table["asks"] if ask["prompt"] == prompt), None)
        if asked is None or not characters:
            return asked is not None
        labels = [option["label"] for option in asked["options"] or ()]
        return len(labels) <= MOST_FLAT and sum(map(len, labels)) >= characters

    return is_seen


def keep_tokens(context: BrowserContext, tokens: Mapping[str, str]) -> None:
    """This browser holds these seats, by game."""
    kept = json.dumps(json.dumps(dict(tokens)))
    context.add_init_script(f"localStorage.setItem('croupier.seats', {kept})")
