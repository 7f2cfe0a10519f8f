"""Tables of random games as seats see them, in the form in which anybody may send them; and spoiled ones."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from rules.editions import EDITIONS
from rules.state import State
from service.games.table_view import render_table
from tests.support.bot_games import RANDOM, TABLES, states_of_game

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
    table: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(render_table(state, seat, 1)))
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
