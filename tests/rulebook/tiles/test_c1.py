"""HIGH FIVE, tile C1."""

from __future__ import annotations

from events.types import CasinoClosed, DiceMoved, TokenMoved
from events.values import CASINO, OWNER, PURSE, SUPPLY, Dice
from rules.state import State
from rules.tiles.c1_high_five import HIGH_FIVE
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


def token(state: State) -> object:
    return HIGH_FIVE.shows(state)["token"]


def test_the_fifth_die_takes_the_token() -> None:
    """000 HIGH FIVE."""
    state = tile_table("C1", dice={1: {ANNA: 3}})
    assert token(place_number(state, ANNA, 1).state) is None
    assert token(place_number(state, ANNA, 1, small=2).state) == ANNA


def test_three_dice_and_the_big_one_take_it_too() -> None:
    """000 HIGH FIVE (D2)."""
    state = tile_table("C1", dice={1: {ANNA: 3}})
    assert token(place_number(state, ANNA, 1, small=0, big=True).state) == ANNA


def test_the_token_earns_a_hundred_thousand_in_the_payout() -> None:
    """000 HIGH FIVE."""
    state = apply_events(with_bank(tile_table("C1"), 100_000), TokenMoved("C1", PURSE[BEN]))
    assert gains(state, pay_out(state).state, BEN) == ((100_000,), 2)


def test_who_comes_second_gets_no_token() -> None:
    """T-C1."""
    state = place_number(tile_table("C1"), ANNA, 1, small=5).state
    assert token(place_number(state, BEN, 1, small=7).state) == ANNA


def test_dice_that_leave_later_change_nothing() -> None:
    """T-C1."""
    state = place_number(tile_table("C1"), ANNA, 1, small=5).state
    state = apply_events(state, DiceMoved(OWNER[ANNA], CASINO[1], SUPPLY[ANNA], 4))
    assert token(state) == ANNA


def test_a_tie_does_not_take_the_prize_away() -> None:
    """T-C1: the casino's cards go elsewhere, the token pays."""
    dice: DiceLaid = {1: {ANNA: 5, BEN: 5}}
    state = with_bank(tile_table("C1", dice=dice, notes={1: (40_000, 50_000)}), 100_000)
    state = apply_events(state, TokenMoved("C1", PURSE[ANNA]))
    assert gains(state, pay_out(state).state, ANNA) == ((100_000,), 2)


def test_it_pays_at_a_closed_casino() -> None:
    """T7."""
    state = apply_events(with_bank(tile_table("C1"), 100_000), TokenMoved("C1", PURSE[ANNA]), CasinoClosed(1))
    assert gains(state, pay_out(state).state, ANNA) == ((100_000,), 2)


def test_imaginary_players_take_no_token() -> None:
    """T3: eight neutral dice lie there."""
    state = tile_table("C1", players=2, neutral=(1,) * 8)
    assert token(state) is None
    assert token(place_number(state, ANNA, 1, small=5).state) == ANNA


def test_the_token_is_back_in_the_next_round() -> None:
    """000 HIGH FIVE, setup (T2)."""
    state = place_number(tile_table("C1"), ANNA, 1, small=5).state
    assert token(pay_out(state).state) is None


def test_placing_without_activation_does_not_take_it() -> None:
    """T0: MY CHOICE's fifth result places the fifth die, no tile reacts."""
    state = tile_table("C1", "H2", dice={1: {ANNA: 4}})
    state = play(place_number(state, ANNA, 2, black=[(5, 5)]).state, ANNA, "use-5")
    state = play(state, ANNA, "set-small-1")
    assert state.own_dice(ANNA, 1) == Dice(5)
    assert token(state) is None


def test_my_choice_takes_it_when_five_lie_there() -> None:
    """T5."""
    state = tile_table("C1", "H2", dice={1: {ANNA: Dice(3, 1)}})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert token(play(state, ANNA, "activate-1")) == ANNA


def test_my_choice_with_four_there_does_nothing() -> None:
    """T5 and T8."""
    state = tile_table("C1", "H2", dice={1: {ANNA: 4}})
    state = play(place_number(state, ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    assert token(play(state, ANNA, "activate-1")) is None
