"""One corpus of forged games, for every verifier: each lie told in games of all editions, options and tiles.

A forgery has its number: the same one is the same file in every run. Unless the lie is about the chain
itself, all hashes fit again, as a careful forger makes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from random import Random
from typing import Any, NamedTuple

from rules.editions.classic import CLASSIC
from rules.editions.royale import ROYALE
from rules.releases import Editions
from rules.tiles import TILES
from tests.support import release_games
from tests.support.finished_games import KINDS, evening_game
from tests.support.forgeries import Raws, reseal
from tests.support.games import exported_game
from tests.support.tampering import LIES

# What a casino, a tile or the edition makes of dice: all sixteen tiles, alone and where they meet.
OPTIONS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("classic", 2, {}),
    ("classic", 5, {"start_seat": 3}),
    ("classic", 3, {"neutral_dice": True}),
    ("classic", 4, {"chip_cards": True}),
    ("classic", 2, {"neutral_dice": True, "chip_cards": True}),
    ("modern", 3, {}),
    ("modern", 2, {"neutral_dice": True}),
    ("modern", 5, {"bandit": True}),
    ("modern", 6, {"bandit": True, "hide_money": True}),
    ("royale", 2, {"tiles": 0}),
    ("royale", 4, {"tiles": 0}),
    ("royale", 3, {}),
    ("royale", 2, {"tiles": 6}),
    ("royale", 5, {"tiles": 6, "fresh_tiles": True}),
    ("cards", 2, {}),
    ("cards", 4, {}),
    ("cards", 3, {"sequential": True}),
    ("cards", 2, {"sequential": True, "chip_cards": True}),
    *(("royale", 2 + at % 4, {"tile_codes": (tile.code,)}) for at, tile in enumerate(TILES)),
    ("royale", 3, {"tile_codes": ("E1", "H2", "B1", "D2", "F2", "C2")}),
    ("royale", 4, {"tile_codes": ("A2", "C1", "E2", "F1", "G1", "H1")}),
    ("royale", 2, {"tile_codes": ("A1", "B2", "C2", "D1", "G2", "H2")}),
)
OLD = {"classic": Editions((CLASSIC[0],)), "royale": Editions((ROYALE[0],))}
RELEASE_1: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("classic", 2, {"neutral_dice": True, "chip_cards": True}),
    ("royale", 3, {"tiles": 6}),
    ("royale", 2, {"tile_codes": ("B1", "C2", "D1", "A2", "H1")}),
)
Load = Callable[[], Raws]


def _load_old(edition: str, players: int, options: dict[str, Any]) -> Raws:
    return release_games.export(release_games.play_game(OLD[edition], edition, players, options))


def _list_games() -> dict[str, Load]:
    games: dict[str, Load] = {}
    for edition, players, options in OPTIONS:
        games[f"{edition} {players} {options}"] = partial(exported_game, edition, players, **options)
    for edition, players, options in RELEASE_1:
        games[f"{edition} 1 {players} {options}"] = partial(_load_old, edition, players, options)
    for kind in KINDS:
        games[kind] = partial(evening_game, kind)
    return games


GAMES = _list_games()


@cache
def _written(name: str) -> str:
    return json.dumps(GAMES[name]())


def true_game(name: str) -> Raws:
    """A fresh copy of a game of the corpus."""
    raws: Raws = json.loads(_written(name))
    return raws


class Forgery(NamedTuple):
    """A forged file; `about` is what was changed in it."""

    number: int
    lie: str
    about: str
    game: str
    raws: Raws


def forge(number: int) -> Forgery:
    """The lie of that number, in the first game that gives it something to change."""
    told = LIES[number % len(LIES)]
    random = Random(number)
    for name in random.sample(list(GAMES), len(GAMES)):
        true = true_game(name)
        raws = true_game(name)
        try:
            told.lie(raws, random)
        except (LookupError, StopIteration):
            continue
        if raws != true:
            forged = reseal(raws) if told.sealed else raws
            return Forgery(number, told.name, told.about, name, forged)
    raise AssertionError(f"no game has anything for the lie: {told.name}")
