"""The main game of Royale around its tiles: which lie out, and what lies ready."""

from __future__ import annotations

import pytest

from events.types import TilesLaid
from events.values import BANK, BLACK, BOX, GREY, Dice
from rules.editions import EDITIONS
from rules.errors import Reason, Rejected
from tests.support.positions import (
    ScriptedChance,
    new_game,
    pay_out,
    tile_table,
)


def test_three_tiles_lie_at_casinos_one_to_three() -> None:
    """000, main game, setup (T0)."""
    assert len(new_game("royale", 3).tiles) == 3


def test_thirty_six_cards_are_for_the_rounds_and_the_others_are_the_bank() -> None:
    """000, main game, setup (M4)."""
    state = new_game("royale", 3)
    assert len(state.notes[BANK]) == 54
    assert len(state.unseen) == 24


def test_black_and_grey_dice_are_ready() -> None:
    """000, main game, setup."""
    state = new_game("royale", 3, {"tile_codes": ("D1",)})
    assert state.heap(BOX) == {BLACK: Dice(2), GREY: Dice(9)}


def test_the_same_tiles_lie_out_every_round_when_named() -> None:
    """T2."""
    state = tile_table("A2", "D1")
    assert state.tiles == ("A2", "D1")
    table = pay_out(state)
    assert TilesLaid(("A2", "D1")) in table.events
    assert table.state.tiles == ("A2", "D1")


@pytest.mark.parametrize(
    "codes", [("A1", "A2"), ("D1", "D1"), ("Z9",), ("A1", "B2", "C1", "D1", "E1", "H2", "A2")]
)
def test_impossible_lists_of_tiles_are_refused(codes: tuple[str, ...]) -> None:
    """T2: both sides of a tile, a tile twice, unknown ones, more than casinos."""
    with pytest.raises(Rejected) as refusal:
        new_game("royale", 3, {"tile_codes": codes})
    assert refusal.value.reason == Reason.BAD_OPTION
    assert refusal.value.where == "/options/tile_codes"


@pytest.mark.parametrize("given", [{}, {"tiles": 2}, {"tiles": 3}])
def test_named_tiles_say_how_many_there_are(given: dict[str, int]) -> None:
    """T2."""
    assert new_game("royale", 3, {"tile_codes": ("A2", "D1"), **given}).options["tiles"] == 2
    assert new_game("royale", 3, {"tile_codes": (), **given}).options["tiles"] == given.get("tiles", 3)


@pytest.mark.parametrize("count", [0, 1, 6])
def test_another_number_beside_named_tiles_is_refused(count: int) -> None:
    """T2."""
    with pytest.raises(Rejected, match=f"requires `options.tiles` to be 2, not {count}") as refusal:
        new_game("royale", 3, {"tiles": count, "tile_codes": ("A2", "D1")})
    assert (refusal.value.where, refusal.value.rule) == ("/options/tile_codes", "T2")


def test_a_code_that_is_there_twice_is_named() -> None:
    """T2."""
    with pytest.raises(Rejected, match="must not have A1 twice"):
        new_game("royale", 3, {"tile_codes": ("A1", "A1")})


@pytest.mark.parametrize("count", [-1, 7])
def test_zero_to_six_tiles_may_be_played(count: int) -> None:
    """000, variant (T0)."""
    with pytest.raises(Rejected) as refusal:
        new_game("royale", 3, {"tiles": count})
    assert refusal.value.reason == Reason.BAD_OPTION


class Counting(ScriptedChance):
    """Picks that go round, so that every draw differs from the one before."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.next = first

    def _pick(self, bound: int) -> int:
        self.next += 7
        return self.next % bound


@pytest.mark.parametrize("first", range(40))
def test_both_sides_of_a_tile_never_lie_together(first: int) -> None:
    """000, main game (T0)."""
    state = new_game("royale", 3, {"tiles": 6, "start_seat": 0}, Counting(first))
    assert len({code[0] for code in state.tiles}) == 6


def test_fresh_tiles_come_before_fresh_sides_and_those_before_any() -> None:
    """000, main game: used tiles aside or their other face (T1)."""
    state = new_game("royale", 3, {"tiles": 6, "start_seat": 0, "fresh_tiles": True}, Counting(3))
    second = pay_out(state, Counting(5)).state
    fresh = {"A", "B", "C", "D", "E", "F", "G", "H"} - {code[0] for code in state.tiles}
    assert fresh <= {code[0] for code in second.tiles}
    assert not set(second.tiles) & set(state.tiles)
    third = pay_out(second, Counting(6)).state
    unseen = set(EDITIONS.newest["royale"].tiles) - set(state.tiles) - set(second.tiles)
    assert unseen <= set(third.tiles)
