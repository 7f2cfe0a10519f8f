"""FIFTY FIFTY, tile B2."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, CounterMoved
from events.values import Dice
from rules.legal import choices, legal
from rules.state import State
from rules.tiles.b2_fifty_fifty import FIFTY_FIFTY
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    ScriptedChance,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    tile_table,
    with_bank,
)

AT_THE_START = {"space": 0, "prize": 0, "sum": None}


def thrown(black: tuple[int, int], players: int = 3) -> State:
    state = with_bank(tile_table("B2", players=players), 30_000, 40_000, 60_000)
    return place_number(state, ANNA, 1, black=[black]).state


def bet(state: State, choice: str, black: tuple[int, int]) -> State:
    return play(state, ANNA, choice, ScriptedChance([black]))


def climbed(wins: int) -> State:
    """So many bets won, by turns on a twelve and a two."""
    state = thrown((1, 1))
    for won_before in range(wins):
        high = won_before % 2 == 0
        state = bet(state, "bet-high" if high else "bet-low", (6, 6) if high else (1, 1))
    return state


def test_the_opening_throw_moves_onto_nothing() -> None:
    """000 FIFTY FIFTY (T-B2)."""
    state = thrown((3, 4))
    assert FIFTY_FIFTY.shows(state) == {"space": 1, "prize": 0, "sum": 7}
    assert choices(state, ANNA) == ("keep", "bet-high", "bet-low")


def test_the_labels_tell_the_sum_and_the_prizes() -> None:
    """000 FIFTY FIFTY."""
    assert [option.label for option in legal(thrown((3, 4)), ANNA)] == [
        "Stop here and take nothing",
        "Bet that two dice sum up higher than 7: one chip or nothing",
        "Bet that two dice sum up lower than 7: one chip or nothing",
    ]


@pytest.mark.parametrize(
    ("wins", "notes", "chips"), [(0, (), 0), (1, (), 1), (2, (30_000,), 0), (3, (40_000,), 0)]
)
def test_who_stops_takes_the_prize_of_the_space(wins: int, notes: tuple[int, ...], chips: int) -> None:
    """000 FIFTY FIFTY (T-B2): the track is data."""
    state = climbed(wins)
    end = play(state, ANNA, "keep")
    assert gains(state, end, ANNA) == (notes, chips)
    assert FIFTY_FIFTY.shows(end) == AT_THE_START


def test_the_fourth_bet_won_pays_sixty_thousand_and_ends_the_gamble() -> None:
    """000 FIFTY FIFTY (T-B2)."""
    state = climbed(3)
    end = bet(state, "bet-low", (1, 1))
    assert gains(state, end, ANNA) == ((60_000,), 0)
    assert FIFTY_FIFTY.shows(end) == AT_THE_START
    assert end.turn == BEN


@pytest.mark.parametrize(
    ("choice", "black"),
    [("bet-high", (3, 3)), ("bet-low", (4, 4)), ("bet-high", (2, 5)), ("bet-low", (1, 6))],
)
def test_a_lost_bet_takes_everything(choice: str, black: tuple[int, int]) -> None:
    """000 FIFTY FIFTY: the same sum again loses either way."""
    state = thrown((3, 4))
    end = bet(state, choice, black)
    assert gains(state, end, ANNA) == ((), 0)
    assert FIFTY_FIFTY.shows(end)["space"] == 0
    assert end.ask is not None
    assert end.ask.prompt == "turn.place"


def test_a_won_bet_sets_the_new_sum() -> None:
    """T-B2: bets compare with the throw before."""
    state = bet(thrown((3, 4)), "bet-high", (4, 5))
    assert "higher than 9" in legal(state, ANNA)[1].label
    assert FIFTY_FIFTY.shows(state) == {"space": 2, "prize": 10_000, "sum": 9}


@pytest.mark.parametrize("black", [(6, 6), (1, 1)])
def test_bets_that_cannot_win_are_offered(black: tuple[int, int]) -> None:
    """T9."""
    assert choices(thrown(black), ANNA) == ("keep", "bet-high", "bet-low")


def test_the_big_die_and_several_small_ones_play_once() -> None:
    """T0."""
    state = place_number(tile_table("B2"), ANNA, 1, small=3, big=True, black=[(3, 4)]).state
    end = play(state, ANNA, "keep")
    assert end.turn == BEN


def test_a_tie_at_its_casino_does_not_matter() -> None:
    """000 FIFTY FIFTY: the prize is for the activation."""
    state = place_number(tile_table("B2", dice={1: {BEN: 1}}), ANNA, 1, black=[(1, 2)]).state
    end = play(bet(state, "bet-high", (6, 6)), ANNA, "keep")
    assert gains(state, end, ANNA) == ((), 1)


def test_with_two_players_it_plays_the_same() -> None:
    """T3: nobody else is asked."""
    state = bet(thrown((1, 2), players=2), "bet-high", (6, 6))
    assert state.ask is not None
    assert state.ask.seats == (ANNA,)


def test_at_a_closed_casino_my_choice_cannot_name_it() -> None:
    """T-E1."""
    state = apply_events(tile_table("H2", "B2", "D1"), CasinoClosed(2))
    state = play(place_number(state, ANNA, 1, black=[(4, 4)]).state, ANNA, "use-4")
    assert choices(state, ANNA) == ("activate-3",)


def test_my_choice_starts_the_gamble() -> None:
    """000 MY CHOICE, result 4."""
    state = play(place_number(tile_table("H2", "B2"), ANNA, 1, black=[(4, 2)]).state, ANNA, "use-4")
    state = play(state, ANNA, "activate-2", ScriptedChance([(2, 3)]))
    assert "lower than 5" in legal(state, ANNA)[2].label


def test_a_new_round_starts_on_the_first_space() -> None:
    """000 FIFTY FIFTY, setup (T2)."""
    state = pay_out(apply_events(tile_table("B2"), CounterMoved("B2", 3))).state
    assert state.round == 2
    assert FIFTY_FIFTY.shows(state) == AT_THE_START


def test_after_the_last_die_of_the_round_the_payout_waits_for_the_gamble() -> None:
    """000 FIFTY FIFTY (T4): bet after bet, and what is won is there when the casinos pay."""
    dice: DiceLaid = {5: {ANNA: Dice(6, 1)}, 4: {BEN: Dice(7, 1)}, 3: {CARLA: Dice(7, 1)}}
    before = with_bank(tile_table("B2", dice=dice, notes={5: (30_000, 90_000)}), 30_000)
    state = place_number(before, ANNA, 1, black=[(1, 1)]).state
    for choice, black in (("bet-high", (6, 6)), ("bet-low", (1, 1))):
        assert (state.round, state.notes_at(5), state.notes_of(ANNA)) == (1, (30_000, 90_000), ())
        state = bet(state, choice, black)
    end = play(state, ANNA, "keep")
    assert end.round == 2
    assert gains(before, end, ANNA) == ((30_000, 90_000), 2)
    assert FIFTY_FIFTY.shows(end) == AT_THE_START
