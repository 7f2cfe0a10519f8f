"""Tiles together: every two that can lie side by side, and six at once, by seeded random players."""

from __future__ import annotations

import pytest

from rules.ruleset import Options
from rules.tiles import TILES
from tests.support.game_loop import Plan, SeededChance, play_moves
from tests.support.laws import check_acceptance, check_move, things_of
from tests.support.profiles import sample

CODES = tuple(tile.code for tile in TILES)
COUNTS = range(2, 6)
PAIRS = [(tile.code, other) for tile in TILES for other in CODES if other not in (tile.code, tile.other)]
SIX_TILE_GAMES = 40


def checked(options: Options, players: int, seed: int, every_ask: bool = False) -> None:
    """A game to its end; tiles, or all, are asked whether they take what they offer."""
    game, chance = play_moves(Plan("royale", options, players), seed), SeededChance(seed)
    first = next(game)
    things, last = things_of(first.after), first
    for last in game:
        check_move(last, things)
        if last.after.ask is not None and (every_ask or last.after.ask.tile):
            check_acceptance(last.after, chance)
    assert last.after.status == "over"


def test_all_that_can_lie_together_are_paired() -> None:
    """000, main game: sixteen sides, each with all but itself and its back; more if somebody adds tiles."""
    of_the_book = [pair for pair in PAIRS if all(code[0] in "ABCDEFGH" for code in pair)]
    assert len(of_the_book) == 16 * 14
    assert {code for pair in PAIRS for code in pair} == set(CODES)


@pytest.mark.parametrize("is_in_order", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize("code", sample(CODES, 2))
def test_every_pair_is_played_to_the_end_with_all_laws_holding(code: str, is_in_order: bool) -> None:
    """000, main game: sixteen by fourteen pairs, two to five players (T0, T3)."""
    for index, pair in enumerate(PAIRS):
        if pair[0] == code and (pair[0] < pair[1]) == is_in_order:
            checked({"tile_codes": pair}, COUNTS[index % len(COUNTS)], seed=index)


@pytest.mark.parametrize("players", sample(COUNTS, 2))
def test_six_tiles_at_once_are_played_to_the_end_with_all_laws_holding(players: int) -> None:
    """000, variant: one tile at every casino; python -m tests.measure_rounds plays a thousand."""
    for seed in range(SIX_TILE_GAMES // len(COUNTS)):
        checked({"tiles": 6}, players, seed, every_ask=True)
