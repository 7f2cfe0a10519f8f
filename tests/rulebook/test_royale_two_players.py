"""The basic game of Royale with two players and an imaginary third, books 000 and 003."""

from __future__ import annotations

from events.types import NotesMoved
from events.values import CASINO, GREY, NEUTRAL, PURSE, UNDER, Dice
from tests.support.positions import (
    ANNA,
    BASIC,
    BEN,
    DiceLaid,
    ScriptedChance,
    basic_game,
    new_game,
    notes_moved_from,
    pay_out,
    table_at,
    tile_table,
)


def test_two_players_meet_the_whole_neutral_set() -> None:
    """000, variant: all eight dice of another colour are rolled and placed (D4, P1)."""
    state = new_game("royale", 2, BASIC, ScriptedChance([(1, 1, 2, 3, 3, 3, 6, 5)]))
    lying = {number: state.dice_of(NEUTRAL, CASINO[number]) for number in range(1, 7)}
    assert lying == {1: Dice(2), 2: Dice(1), 3: Dice(3), 4: Dice(), 5: Dice(0, 1), 6: Dice(1)}


def test_the_neutral_set_is_rolled_anew_each_round() -> None:
    """000, variant (D4)."""
    state = pay_out(basic_game(2), ScriptedChance([(4,) * 8])).state
    assert state.dice_of(NEUTRAL, CASINO[4]) == Dice(7, 1)


def test_the_neutral_winner_puts_its_card_below_the_pile() -> None:
    """000 and 003, variant, example 1: $80,000 to the neutral player, $30,000 to Ben (D3)."""
    table = pay_out(basic_game(2, {6: {BEN: 2, ANNA: 1}}, six=(30_000, 80_000)), ScriptedChance([(6,) * 8]))
    assert notes_moved_from(table, 6) == {PURSE[BEN]: (30_000,), UNDER: (80_000,)}


def test_the_neutral_player_as_second_keeps_the_third_out() -> None:
    """000 and 003, variant, example 2: Carla $70,000, the neutral player $40,000, Ben nothing (D3)."""
    carla = ANNA
    chance = ScriptedChance([(3, 3, 1, 1, 1, 1, 1, 1)])
    dice: DiceLaid = {3: {carla: 3, BEN: 1}}
    state = table_at("royale", 2, BASIC, notes={3: (40_000, 70_000)}, dice=dice, chance=chance)
    assert notes_moved_from(pay_out(state), 3) == {PURSE[carla]: (70_000,), UNDER: (40_000,)}


def test_neutral_dice_tie_like_players() -> None:
    """D3."""
    table = pay_out(basic_game(2, {6: {BEN: Dice(7, 1), ANNA: 1}}, six=(30_000, 80_000)))
    assert notes_moved_from(table, 6) == {PURSE[ANNA]: (80_000,), UNDER: (30_000,)}


def test_two_imaginary_players_win_a_card_each() -> None:
    """D3: in the order of their dice, and the log tells the two apart."""
    dice: DiceLaid = {3: {GREY: 3, BEN: 1}}
    neutral, pair = (3, 3, 1, 1, 1, 1, 1, 1), (40_000, 70_000)
    table = pay_out(tile_table("A1", players=2, neutral=neutral, dice=dice, notes={3: pair}))
    assert [event for event in table.events if isinstance(event, NotesMoved) and event.winner] == [
        NotesMoved(CASINO[3], UNDER, (70_000,), winner=GREY),
        NotesMoved(CASINO[3], UNDER, (40_000,), winner=NEUTRAL),
    ]
    assert table.state.notes[UNDER] == (70_000, 40_000)
