"""PAY DAY, tile D1."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed
from events.values import NEUTRAL, Dice, spot
from tests.support.positions import (
    ANNA,
    BEN,
    DiceLaid,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    tile_table,
    with_bank,
)

BANK = (30_000, 40_000, 50_000, 60_000)


@pytest.mark.parametrize(
    ("others", "notes", "chips"),
    [(0, (), 1), (1, (), 2), (2, (30_000,), 0), (3, (40_000,), 0), (4, (50_000,), 0), (5, (60_000,), 0)],
)
def test_ten_thousand_for_every_casino_with_a_die_of_ones_own(
    others: int, notes: tuple[int, ...], chips: int
) -> None:
    """000 PAY DAY: chips up to $20,000, the bank above."""
    dice: DiceLaid = {number: {ANNA: 1} for number in range(2, 2 + others)}
    state = with_bank(tile_table("D1", dice=dice), *BANK)
    table = place_number(state, ANNA, 1)
    assert gains(state, table.state, ANNA) == (notes, chips)


def test_dice_on_tiles_do_not_count() -> None:
    """000 PAY DAY: casinos, not tiles."""
    state = tile_table("D1", "H2", dice={spot("H2", "gold"): {ANNA: 1}})
    assert gains(state, place_number(state, ANNA, 1).state, ANNA) == ((), 1)


def test_dice_of_others_do_not_count() -> None:
    """000 PAY DAY."""
    state = tile_table("D1", dice={2: {BEN: 3}, 3: {BEN: 1, ANNA: 1}})
    assert gains(state, place_number(state, ANNA, 1).state, ANNA) == ((), 2)


def test_closed_casinos_count() -> None:
    """T-D1."""
    state = with_bank(tile_table("D1", dice={2: {ANNA: 1}, 3: {ANNA: 2}}), *BANK)
    table = place_number(apply_events(state, CasinoClosed(3)), ANNA, 1)
    assert gains(state, table.state, ANNA) == ((30_000,), 0)


def test_a_big_die_makes_one_casino() -> None:
    """D2: it is not strength that is counted here."""
    state = tile_table("D1", dice={2: {ANNA: Dice(0, 1)}})
    assert gains(state, place_number(state, ANNA, 1).state, ANNA) == ((), 2)


def test_a_casino_where_one_is_tied_counts() -> None:
    """000 PAY DAY: ties matter in the payout only."""
    state = tile_table("D1", dice={2: {ANNA: 2, BEN: 2}})
    assert gains(state, place_number(state, ANNA, 1).state, ANNA) == ((), 2)


def test_several_dice_are_one_activation() -> None:
    """T0."""
    state = tile_table("D1")
    assert gains(state, place_number(state, ANNA, 1, small=5, big=True).state, ANNA) == ((), 1)


def test_with_two_players_neutral_dice_are_nobodys_pay() -> None:
    """T3."""
    state = tile_table("D1", players=2, neutral=(2, 2, 3, 3, 4, 4, 5, 5))
    assert state.dice_of(NEUTRAL, "casino-2").count == 2
    assert gains(state, place_number(state, ANNA, 1).state, ANNA) == ((), 1)


def test_the_end_of_the_round_pays_nothing_more() -> None:
    """000 PAY DAY: only when activated; the two chips are those of the new round."""
    state = tile_table("D1", dice={1: {ANNA: 2}, 2: {ANNA: 2}})
    assert gains(state, pay_out(state).state, ANNA) == ((), 2)


def test_my_choice_can_set_it_off() -> None:
    """000 MY CHOICE, result 4: the casino of MY CHOICE counts."""
    state = tile_table("H2", "D1", dice={5: {ANNA: 1}})
    table = place_number(state, ANNA, 1, black=[(4, 2)])
    after_it = play(play(table.state, ANNA, "use-4"), ANNA, "activate-2")
    assert gains(state, after_it, ANNA) == ((), 2)
