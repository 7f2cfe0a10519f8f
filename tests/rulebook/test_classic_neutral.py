"""The variant with neutral dice of the first Las Vegas, book 001."""

from __future__ import annotations

import pytest

from events.types import DiceMoved, DiceReturned, DiceRolled, NotesMoved
from events.values import BOX, CASINO, CASINO_NUMBERS, NEUTRAL, OWNER, PURSE, SUPPLY, UNDER, Dice
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.state import State
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    ScriptedChance,
    new_game,
    notes_moved_from,
    pay_out,
    play,
    roll_dice,
    table_at,
)

NEUTRAL_DICE = {"neutral_dice": True}


def neutral_at(state: State) -> dict[int, int]:
    """Neutral dice by the number of their casino."""
    lying = {number: state.dice_of(NEUTRAL, CASINO[number]).count for number in CASINO_NUMBERS}
    return {number: count for number, count in lying.items() if count}


@pytest.mark.parametrize(("players", "each", "placed"), [(2, 4, {}), (3, 2, {1: 2}), (4, 2, {})])
def test_eight_neutral_dice_by_the_number_of_players(players: int, each: int, placed: dict[int, int]) -> None:
    """001, variant; D9: none are left over but two with three players."""
    state = new_game("classic", players, NEUTRAL_DICE)
    assert [state.heap(SUPPLY[seat]) for seat in range(players)] == [
        {OWNER[seat]: Dice(8), NEUTRAL: Dice(each)} for seat in range(players)
    ]
    assert neutral_at(state) == placed
    assert not state.heap(BOX)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_there_are_no_neutral_dice_unless_asked_for(players: int) -> None:
    """001, variant; P1."""
    state = new_game("classic", players)
    assert not any(NEUTRAL in heap for heap in state.dice.values())


def test_five_players_cannot_have_neutral_dice() -> None:
    """001, variant; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("classic", 5, NEUTRAL_DICE)
    said = refusal.value
    assert (said.reason, said.where, said.rule) == (Reason.BAD_OPTION, "/options/neutral_dice", "P1")


def test_five_players_may_say_that_they_want_none() -> None:
    """P1."""
    assert new_game("classic", 5, {"neutral_dice": False}).status == "playing"


def test_the_spare_two_are_rolled_ahead_of_the_first_turn() -> None:
    """001, variant, three players; D4: each goes to the casino of its face."""
    state = new_game("classic", 3, {**NEUTRAL_DICE, "start_seat": CARLA}, ScriptedChance([(5, 2)]))
    assert neutral_at(state) == {2: 1, 5: 1}
    assert state.turn == CARLA
    assert state.roll is not None
    assert len(state.roll.own) + len(state.roll.neutral) == 10


def test_two_equal_spare_dice_go_to_one_casino() -> None:
    """001, variant, three players; D4."""
    assert neutral_at(new_game("classic", 3, NEUTRAL_DICE, ScriptedChance([(6, 6)]))) == {6: 2}


def test_neutral_dice_come_back_every_round_and_the_spare_two_are_rolled_again() -> None:
    """001, variant; D4, D9: at the start of every round."""
    first = new_game("classic", 3, NEUTRAL_DICE, ScriptedChance([(5, 2)]))
    table = pay_out(first, ScriptedChance([(3, 1)]))
    assert [event for event in table.events if isinstance(event, DiceMoved)] == [
        *(DiceMoved(NEUTRAL, BOX, SUPPLY[seat], 2) for seat in range(3)),
        DiceMoved(NEUTRAL, BOX, CASINO[1], 1),
        DiceMoved(NEUTRAL, BOX, CASINO[3], 1),
    ]
    spare = next(event for event in table.events if isinstance(event, DiceRolled))
    assert (spare.seat, spare.own, spare.neutral) == (None, (), (1, 3))
    assert neutral_at(table.state) == {1: 1, 3: 1}


def test_neutral_dice_are_rolled_along_with_the_own_ones() -> None:
    """001, variant: twelve dice in the first roll of two players."""
    roll = new_game("classic", 2, NEUTRAL_DICE, ScriptedChance([(1,) * 8 + (2, 4, 3, 2)])).roll
    assert roll is not None
    assert (roll.own, roll.neutral) == ((1,) * 8, (2, 2, 3, 4))


def carlas_roll() -> State:
    state = table_at("classic", 2, NEUTRAL_DICE, dice={2: {ANNA: 5, NEUTRAL: 2}})
    return roll_dice(state, ANNA, 1, 1, 5, neutral=(1, 6))


def test_own_and_neutral_dice_of_one_number_are_placed_together() -> None:
    """001, variant, example: Carla's two 1s and a white 1, a 5, a white 6; D5."""
    assert [(option.choice, option.label) for option in legal(carlas_roll(), ANNA)] == [
        ("place-1", "Place two dice and one neutral die on casino 1"),
        ("place-5", "Place one die on casino 5"),
        ("place-6", "Place one neutral die on casino 6"),
    ]
    state = play(carlas_roll(), ANNA, "place-1")
    assert state.heap(CASINO[1]) == {OWNER[ANNA]: Dice(2), NEUTRAL: Dice(1)}
    assert state.heap(SUPPLY[ANNA]) == {OWNER[ANNA]: Dice(1), NEUTRAL: Dice(1)}


def test_a_neutral_die_may_be_placed_alone() -> None:
    """001, variant, example: the white 6."""
    state = play(carlas_roll(), ANNA, "place-6")
    assert state.heap(CASINO[6]) == {NEUTRAL: Dice(1)}
    assert state.supply_of(ANNA) == Dice(3)


def test_a_turn_with_neutral_dice_only_is_played_like_any_other() -> None:
    """001, variant; D5: who has none but neutral dice left does not pass."""
    state = table_at("classic", 2, NEUTRAL_DICE, dice={2: {BEN: 8}})
    state = play(
        roll_dice(state, ANNA, *(1,) * 8, neutral=(1, 1, 2, 2)),
        ANNA,
        "place-1",
        ScriptedChance([(4, 4, 6, 6)]),
    )
    assert (state.turn, choices(state, BEN)) == (BEN, ("place-4", "place-6"))
    state = play(state, BEN, "place-4")
    assert state.heap(CASINO[4]) == {NEUTRAL: Dice(2)}


def test_the_round_goes_on_until_the_neutral_dice_are_placed_too() -> None:
    """001, variant; D5."""
    dice: DiceLaid = {1: {ANNA: 8, BEN: 8}, 2: {NEUTRAL: 7}}
    state = roll_dice(table_at("classic", 2, NEUTRAL_DICE, dice=dice), BEN, neutral=(3,))
    assert state.round == 1
    assert play(state, BEN, "place-3").round == 2


def test_the_imaginary_player_takes_the_highest_note_below_the_pile() -> None:
    """001, variant, example 1: 80 to white, 30 to Benno; D3."""
    state = table_at("classic", 2, NEUTRAL_DICE, notes={1: (30_000, 80_000)}, dice={1: {NEUTRAL: 3, BEN: 2}})
    assert notes_moved_from(pay_out(state), 1) == {UNDER: (80_000,), PURSE[BEN]: (30_000,)}


def test_the_imaginary_player_takes_the_second_note_below_the_pile() -> None:
    """001, variant, example 2: Carla 70, white 40, Anna nothing; D3."""
    dice: DiceLaid = {4: {CARLA: 3, NEUTRAL: 2, ANNA: 1}}
    state = table_at("classic", 3, NEUTRAL_DICE, notes={4: (40_000, 70_000)}, dice=dice)
    assert notes_moved_from(pay_out(state), 4) == {PURSE[CARLA]: (70_000,), UNDER: (40_000,)}


def test_what_the_imaginary_player_won_lies_ahead_of_what_nobody_won() -> None:
    """001, variant; M1, D3: the dearer note ahead of the cheaper."""
    dice: DiceLaid = {4: {NEUTRAL: 3, ANNA: 1}}
    state = table_at("classic", 2, NEUTRAL_DICE, notes={4: (10_000, 20_000, 30_000)}, dice=dice)
    assert notes_moved_from(pay_out(state), 4) == {PURSE[ANNA]: (20_000,), UNDER: (30_000, 10_000)}


def test_a_note_of_the_imaginary_player_is_a_win_and_not_a_left_over() -> None:
    """001, variant; D3: paid in its turn, and the log says to whom."""
    dice: DiceLaid = {4: {NEUTRAL: 3, ANNA: 1}}
    state = table_at("classic", 2, NEUTRAL_DICE, notes={4: (10_000, 20_000, 30_000)}, dice=dice)
    assert [event for event in pay_out(state).events if isinstance(event, NotesMoved)][:3] == [
        NotesMoved(CASINO[4], UNDER, (30_000,), winner=NEUTRAL),
        NotesMoved(CASINO[4], PURSE[ANNA], (20_000,)),
        NotesMoved(CASINO[4], UNDER, (10_000,)),
    ]


def test_neutral_dice_tie_with_a_player() -> None:
    """001, variant: scored as if they belonged to a player; D3."""
    dice: DiceLaid = {1: {NEUTRAL: 2, BEN: 2, ANNA: 1}}
    table = pay_out(table_at("classic", 2, NEUTRAL_DICE, notes={1: (80_000, 30_000)}, dice=dice))
    assert DiceReturned(CASINO[1], (NEUTRAL, OWNER[BEN])) in table.events
    assert notes_moved_from(table, 1) == {PURSE[ANNA]: (80_000,), UNDER: (30_000,)}


def test_neutral_dice_of_all_players_count_together() -> None:
    """001, variant; D3: one imaginary player, not one a seat."""
    state = table_at("classic", 2, NEUTRAL_DICE, notes={2: (90_000,)}, dice={2: {ANNA: 3}})
    for seat, faces in ((ANNA, (2, 2, 1, 1)), (BEN, (2, 2, 1, 1))):
        own = state.supply_of(seat).count
        state = play(roll_dice(state, seat, *(6,) * own, neutral=faces), seat, "place-2")
    assert state.heap(CASINO[2]) == {OWNER[ANNA]: Dice(3), NEUTRAL: Dice(4)}
    assert notes_moved_from(pay_out(state), 2) == {UNDER: (90_000,)}
