"""What tiles show: every member that a tile declares, of the type it says, and nothing else."""

from __future__ import annotations

import pytest

from rules.tile import Tile
from rules.tiles import TILES
from tests.support.game_loop import Plan, play_moves
from tests.support.laws import check_declared_members

GAMES = 6


def told(tile: Tile, seed: int) -> set[str]:
    """The members that said something in a game with the tile alone."""
    said = set[str]()
    for move in play_moves(Plan("royale", {"tile_codes": (tile.code,)}, 3), seed):
        if tile.code in move.after.tiles:
            check_declared_members(tile, move.after)
            said |= {name for name, value in tile.shows(move.after).items() if value not in (None, [])}
    return said


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.code)
def test_a_tile_shows_what_it_declares_and_all_of_it(tile: Tile) -> None:
    """000, main game: counters, tokens and dice lie open (T2)."""
    assert set[str]().union(*(told(tile, seed) for seed in range(GAMES))) == set(tile.members)


@pytest.mark.parametrize("tile", TILES, ids=lambda tile: tile.code)
def test_every_member_is_a_sentence(tile: Tile) -> None:
    for member in tile.members.values():
        assert member.text[0].isupper()
        assert member.text.endswith(".")
