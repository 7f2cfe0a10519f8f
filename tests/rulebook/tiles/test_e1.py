"""NO ENTRY!, tile E1."""

from __future__ import annotations

import pytest

from events.types import CasinoClosed, CounterMoved, TokenMoved
from events.values import CASINO, GREY, OWNER, PURSE, SUPPLY, UNDER, Dice
from rules.editions import EDITIONS
from rules.legal import choices, legal
from rules.state import State
from rules.table import Table
from rules.tiles.e1_no_entry import NO_ENTRY
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    ScriptedChance,
    apply_events,
    gains,
    notes_moved_from,
    pay_out,
    place_number,
    play,
    roll_dice,
    tile_table,
    with_bank,
)


def closed(state: State, number: int, space: int = 1) -> State:
    """Somebody has put the token there before."""
    laid = (TokenMoved("E1", CASINO[number]), CasinoClosed(number), CounterMoved("E1", space))
    return apply_events(state, *laid)


def test_the_first_to_activate_it_closes_another_casino() -> None:
    """000 NO ENTRY! (T-E1): the tile's own casino cannot be closed, and there is no way out."""
    state = place_number(tile_table("E1"), ANNA, 1).state
    assert choices(state, ANNA) == ("close-2", "close-3", "close-4", "close-5", "close-6")
    state = play(state, ANNA, "close-4")
    assert state.closed == (4,)
    assert NO_ENTRY.shows(state)["closed"] == 4


@pytest.mark.parametrize(
    ("space", "notes", "chips"),
    [(0, (), 2), (1, (), 0), (2, (30_000,), 0), (3, (), 0), (4, (), 1), (5, (), 0)],
)
def test_the_counter_moves_one_on_and_pays_its_new_space(
    space: int, notes: tuple[int, ...], chips: int
) -> None:
    """000 NO ENTRY!: the track is a ring of six (T-E1)."""
    state = apply_events(with_bank(tile_table("E1"), 30_000), CounterMoved("E1", space))
    table = place_number(state, ANNA, 1)
    end = play(table.state, ANNA, "close-3")
    assert gains(state, end, ANNA) == (notes, chips)
    assert NO_ENTRY.shows(end)["space"] == (space + 1) % 6


def test_the_label_tells_the_prize() -> None:
    """000 NO ENTRY!"""
    state = place_number(tile_table("E1"), ANNA, 1).state
    assert legal(state, ANNA)[0].label == "Close casino 2 to all dice: two chips for you"


def test_later_the_token_may_move_and_opens_what_it_leaves() -> None:
    """000 NO ENTRY!: step and prize come with the move."""
    state = closed(with_bank(tile_table("E1"), 30_000), 4, space=2)
    end = play(place_number(state, ANNA, 1).state, ANNA, "close-5")
    assert end.closed == (5,)
    assert gains(state, end, ANNA) == ((30_000,), 0)


def test_later_the_token_may_stay_without_step_or_prize() -> None:
    """000 NO ENTRY! (T-E1)."""
    state = closed(with_bank(tile_table("E1"), 30_000), 4, space=2)
    state = place_number(state, ANNA, 1).state
    assert choices(state, ANNA) == ("close-2", "close-3", "close-5", "close-6", "leave")
    assert legal(state, ANNA)[0].label == "Close casino 2 to all dice: casino 4 opens again, $30,000 for you"
    assert legal(state, ANNA)[-1].label == "Leave casino 4 closed and win nothing"
    end = play(state, ANNA, "leave")
    assert end.closed == (4,)
    assert gains(state, end, ANNA) == ((), 0)
    assert NO_ENTRY.shows(end)["space"] == 2


def test_no_dice_enter_a_closed_casino_by_a_roll() -> None:
    """000 NO ENTRY! (D7)."""
    state = closed(tile_table("E1", dice={1: {BEN: Dice(5, 1)}}), 4)
    assert choices(roll_dice(state, BEN, 4, 5), BEN) == ("place-5", "pass")


def test_a_roll_of_the_closed_number_alone_passes_the_turn() -> None:
    """D7 and D11."""
    state = closed(tile_table("E1", dice={1: {BEN: Dice(5, 1)}}), 4)
    state = roll_dice(state, BEN, 4, 4)
    assert state.turn == CARLA
    assert state.supply_of(BEN) == Dice(2)


def test_no_effect_moves_dice_into_or_out_of_a_closed_casino() -> None:
    """T-E1: the verbs themselves hold it, small dice, big dice and grey dice alike."""
    state = closed(tile_table("E1", dice={4: {ANNA: Dice(1, 1), GREY: 2}}), 4)
    table = Table(state, EDITIONS.newest["royale"], ScriptedChance())
    table.move_dice(OWNER[ANNA], CASINO[4], SUPPLY[ANNA], 0, 1)
    table.move_dice(GREY, CASINO[4], CASINO[5], 1)
    table.play_die(BEN, CASINO[4], big=False)
    table.place_dice(BEN, 4, CASINO[4], 1, 0, 0)
    assert table.events == []


def test_nothing_activates_the_tile_of_a_closed_casino() -> None:
    """T-E1."""
    table = Table(closed(tile_table("E1", "D1"), 2), EDITIONS.newest["royale"], ScriptedChance())
    table.agenda = []
    table.activate(ANNA, 2)
    assert table.agenda == []


def test_a_closed_casino_pays_as_usual() -> None:
    """T-E1 and T7: ties leave it and its cards are won."""
    dice: DiceLaid = {4: {ANNA: 3, BEN: 2, CARLA: 2}}
    table = pay_out(closed(tile_table("E1", dice=dice, notes={4: (30_000, 90_000)}), 4))
    assert notes_moved_from(table, 4) == {PURSE[ANNA]: (90_000,), UNDER: (30_000,)}


def test_every_casino_is_open_again_in_the_next_round() -> None:
    """D8: dice and tokens return (T2)."""
    state = pay_out(closed(tile_table("E1"), 4)).state
    assert state.closed == ()
    assert NO_ENTRY.shows(state) == {"closed": None, "space": 0, "next_prize": 20_000}


def test_several_dice_with_the_big_one_move_it_once() -> None:
    """T0."""
    state = place_number(tile_table("E1"), ANNA, 1, small=3, big=True).state
    end = play(state, ANNA, "close-2")
    assert end.ask is not None
    assert end.ask.prompt == "turn.place"
    assert NO_ENTRY.shows(end)["space"] == 1


def test_two_players_can_close_in_the_neutral_dice() -> None:
    """000, variant for two: neutral dice stay, and their casino may be closed (D3)."""
    state = place_number(tile_table("E1", players=2), ANNA, 1).state
    end = play(state, ANNA, "close-6")
    assert end.closed == (6,)
    assert end.dice_of("neutral", CASINO[6]) == Dice(7, 1)


def test_my_choice_can_move_the_token() -> None:
    """000 MY CHOICE, result 4; the casino of MY CHOICE itself may be closed."""
    state = tile_table("H2", "E1")
    state = play(place_number(state, ANNA, 1, black=[(4, 2)]).state, ANNA, "use-4")
    state = play(state, ANNA, "activate-2")
    assert choices(state, ANNA) == ("close-1", "close-3", "close-4", "close-5", "close-6")


def test_once_closed_it_keeps_the_token_there_until_moved() -> None:
    """000 NO ENTRY!: turns of others leave it alone."""
    state = closed(tile_table("E1"), 4)
    assert play(roll_dice(state, BEN, 2, 2, 3, 3, 5, 5, 6, big=6), BEN, "place-5").closed == (4,)
