"""JACKPOT, tile A2."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, CounterMoved
from rules.state import State
from rules.tiles.a2_jackpot import JACKPOT
from tests.support.positions import (
    ANNA,
    BEN,
    ScriptedChance,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    tile_table,
    with_bank,
)


def at_space(space: int, players: int = 3) -> State:
    state = tile_table("A2", players=players)
    bank = (30_000, 40_000, 50_000, 60_000, 70_000, 80_000)
    return apply_events(with_bank(state, *bank), CounterMoved("A2", space))


@pytest.mark.parametrize("black", [(1, 6), (3, 4), (5, 5), (1, 1)])
def test_a_seven_or_a_double_takes_the_jackpot_and_starts_over(black: tuple[int, int]) -> None:
    """000 JACKPOT (T-A2)."""
    state = at_space(2)
    table = place_number(state, ANNA, 1, black=[black])
    assert gains(state, table.state, ANNA) == ((50_000,), 0)
    assert JACKPOT.shows(table.state) == {"jackpot": 30_000}


@pytest.mark.parametrize("black", [(1, 2), (6, 5), (2, 4)])
@pytest.mark.parametrize("space", range(5))
def test_anything_else_moves_the_counter_one_on(space: int, black: tuple[int, int]) -> None:
    """000 JACKPOT (T-A2): $10,000 a step, the last one to $80,000."""
    state = at_space(space)
    table = place_number(state, ANNA, 1, black=[black])
    assert gains(state, table.state, ANNA) == ((), 0)
    assert JACKPOT.shows(table.state) == {"jackpot": 40_000 + space * 10_000}


def test_the_counter_stays_at_eighty_thousand() -> None:
    """000 JACKPOT (T-A2)."""
    table = place_number(at_space(5), ANNA, 1, black=[(1, 2)])
    assert JACKPOT.shows(table.state) == {"jackpot": 80_000}


def test_it_starts_at_thirty_thousand_in_every_round() -> None:
    """000 JACKPOT, setup (T2)."""
    state = pay_out(at_space(4)).state
    assert state.round == 2
    assert JACKPOT.shows(state) == {"jackpot": 30_000}


def test_many_dice_and_the_big_one_throw_once() -> None:
    """T0."""
    table = place_number(at_space(0), ANNA, 1, small=4, big=True, black=[(1, 2)])
    assert JACKPOT.shows(table.state) == {"jackpot": 40_000}


def test_a_tie_at_its_casino_does_not_matter() -> None:
    """000 JACKPOT: the prize is for the activation."""
    state = place_number(at_space(0), BEN, 1, black=[(1, 2)]).state
    table = place_number(state, ANNA, 1, black=[(2, 5)])
    assert gains(state, table.state, ANNA) == ((40_000,), 0)


def test_at_a_closed_casino_it_cannot_be_chosen_by_my_choice() -> None:
    """T-E1 and T8."""
    state = apply_events(tile_table("H2", "A2", "D1"), CasinoClosed(2))
    state = play(place_number(state, ANNA, 1, black=[(4, 4)]).state, ANNA, "use-4")
    assert state.ask is not None
    assert state.ask.options == ("activate-3",)


def test_my_choice_can_throw_for_the_jackpot() -> None:
    """000 MY CHOICE, result 4."""
    state = with_bank(tile_table("H2", "A2"), 30_000)
    table = place_number(state, ANNA, 1, black=[(4, 2)])
    after_it = play(play(table.state, ANNA, "use-4"), ANNA, "activate-2", ScriptedChance([(6, 1)]))
    assert gains(state, after_it, ANNA) == ((30_000,), 0)


def test_with_two_players_the_neutral_dice_do_not_activate() -> None:
    """T3: they are laid out by the set-up."""
    state = tile_table("A2", players=2, neutral=(1,) * 8)
    assert JACKPOT.shows(state) == {"jackpot": 30_000}
    assert JACKPOT.shows(place_number(state, ANNA, 1, black=[(1, 2)]).state) == {"jackpot": 40_000}
