"""The one-armed bandit, book 002."""

from __future__ import annotations

from itertools import pairwise

import pytest

from events.types import NotesMoved
from events.values import BANDIT, BANDIT_STACK, BOX, CASINO, OWNER, PURSE, Dice
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.mechanics import bandit
from rules.state import State
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    EMILY,
    DiceLaid,
    new_game,
    notes_moved_from,
    pay_out,
    play,
    roll_dice,
    table_at,
)

OPTIONS = {"bandit": True}


def test_two_bills_lie_at_the_bandit() -> None:
    """002, one-armed bandit; M2."""
    state = new_game("modern", 5, OPTIONS)
    assert len(state.notes[BANDIT]) == 2
    assert BANDIT not in new_game("modern", 5).notes


def test_the_bills_last_for_three_rounds_with_the_bandit() -> None:
    """002, one-armed bandit; M2: fourteen bills a round."""
    state, drawn = new_game("modern", 6, OPTIONS), []
    while state.status != "over":
        drawn.append(len(state.notes[BANDIT]) + sum(len(state.notes_at(number)) for number in range(1, 7)))
        state = pay_out(state).state
    assert drawn == [14, 14, 14]


def test_any_number_may_be_placed_on_the_bandit() -> None:
    """002, one-armed bandit, 1."""
    state = roll_dice(new_game("modern", 5, OPTIONS), ANNA, 1, 1, 4, 4, 4, 6, big=4)
    assert choices(state, ANNA) == ("place-1", "place-4", "place-6", "bandit-1", "bandit-4", "bandit-6")
    assert legal(state, ANNA)[4].label == "Place four dice (weight 5) showing 4 on the one-armed bandit"


def test_without_the_option_there_is_no_bandit() -> None:
    """002, one-armed bandit: a variant."""
    assert choices(roll_dice(new_game("modern", 5), ANNA, 1, 1, 1, 1, 1, 1, big=1), ANNA) == ("place-1",)


def test_all_dice_of_the_number_go_to_the_bandit() -> None:
    """002, one-armed bandit, 2."""
    state = roll_dice(new_game("modern", 5, OPTIONS), ANNA, 1, 1, 4, 4, 4, 6, big=4)
    state = play(state, ANNA, "bandit-4")
    assert state.heap(BANDIT_STACK[4]) == {OWNER[ANNA]: Dice(3, 1)}
    assert not state.heap(CASINO[4])
    assert state.turn == BEN


def test_a_number_comes_to_the_bandit_once_a_round() -> None:
    """002, one-armed bandit, example: no more 3s, not even from Denny; D6."""
    state = the_example_played()
    assert choices(roll_dice(state, DENNY, 3, 5, 5, big=3), DENNY) == ("place-3", "place-5", "bandit-5")
    assert choices(roll_dice(state, ANNA, 3, 3, 3, 3, 3, 3, big=3), ANNA) == ("place-3",)


def test_a_new_round_opens_the_bandit_to_every_number_again() -> None:
    """002, one-armed bandit; D6: in this round."""
    state = pay_out(table_at("modern", 5, OPTIONS, dice={BANDIT_STACK[1]: {DENNY: 3}})).state
    assert "bandit-1" in choices(state, state.turn or 0)


def the_example_played() -> State:
    """Denny brings three 3s, Ben two 6s, Carla two 4s and later a 1."""
    state = table_at("modern", 5, OPTIONS, notes={BANDIT: (50_000, 90_000)})
    state = play(roll_dice(state, DENNY, 3, 3, 3, 1, 2, 5, big=5), DENNY, "bandit-3")
    state = play(roll_dice(state, BEN, 6, 6, 3, 3, 2, 1, big=1), BEN, "bandit-6")
    state = play(roll_dice(state, CARLA, 4, 4, 3, 2, 5, 6, big=3), CARLA, "bandit-4")
    return play(roll_dice(state, CARLA, 1, 3, 3, 6, big=5), CARLA, "bandit-1")


def test_equal_dice_and_pips_are_decided_by_the_highest_number() -> None:
    """002, one-armed bandit, example: Carla's 4, 4, 1 come before Denny's three 3s; D6."""
    state = the_example_played()
    assert bandit.order(state) == (OWNER[CARLA], OWNER[DENNY], OWNER[BEN])
    assert notes_moved_from(pay_out(state), BANDIT) == {PURSE[CARLA]: (90_000,), PURSE[DENNY]: (50_000,)}


def test_the_highest_number_decides_whoever_holds_the_lowest() -> None:
    """002, one-armed bandit, 3; D6: 2, 2, 5 before 1, 4, 4, three dice and nine pips each."""
    dice: DiceLaid = {
        BANDIT_STACK[2]: {ANNA: 2},
        BANDIT_STACK[5]: {ANNA: 1},
        BANDIT_STACK[1]: {BEN: 1},
        BANDIT_STACK[4]: {BEN: 2},
    }
    state = table_at("modern", 5, OPTIONS, notes={BANDIT: (50_000, 90_000)}, dice=dice)
    assert notes_moved_from(pay_out(state), BANDIT) == {PURSE[ANNA]: (90_000,), PURSE[BEN]: (50_000,)}


def test_equal_dice_are_decided_by_pips_and_not_removed() -> None:
    """002, one-armed bandit, 3; D6."""
    state = table_at("modern", 5, OPTIONS, dice={BANDIT_STACK[2]: {ANNA: 2}, BANDIT_STACK[5]: {BEN: 2}})
    assert bandit.order(state) == (OWNER[BEN], OWNER[ANNA])


def test_more_dice_beat_more_pips() -> None:
    """002, one-armed bandit, 3; D6."""
    state = table_at("modern", 5, OPTIONS, dice={BANDIT_STACK[1]: {ANNA: 3}, BANDIT_STACK[6]: {BEN: 2}})
    assert bandit.order(state) == (OWNER[ANNA], OWNER[BEN])


def test_the_big_die_is_two_dice_with_their_pips() -> None:
    """002, payout: the big die counts as two; D6, D2."""
    dice: DiceLaid = {
        BANDIT_STACK[5]: {ANNA: Dice(0, 1)},
        BANDIT_STACK[4]: {BEN: Dice(2)},
        BANDIT_STACK[6]: {EMILY: 1},
    }
    assert bandit.order(table_at("modern", 5, OPTIONS, dice=dice)) == (OWNER[ANNA], OWNER[BEN], OWNER[EMILY])


def test_nobody_is_level_at_the_bandit_however_the_dice_lie() -> None:
    """002, one-armed bandit, 3; D6: no number lies there for two seats, so the order is strict."""
    dice: DiceLaid = {
        BANDIT_STACK[number]: {seat: 1} for number, seat in zip(range(1, 6), range(5), strict=True)
    }
    order = bandit.order(table_at("modern", 5, OPTIONS, dice=dice))
    assert all(OWNER.index(first) > OWNER.index(second) for first, second in pairwise(order))
    assert len(order) == 5


def test_everybody_wins_one_bill_at_most_and_the_rest_goes_to_the_box() -> None:
    """002, one-armed bandit."""
    dice: DiceLaid = {BANDIT_STACK[1]: {ANNA: 2}, BANDIT_STACK[4]: {ANNA: 1}}
    state = table_at("modern", 5, OPTIONS, notes={BANDIT: (20_000, 60_000)}, dice=dice)
    assert notes_moved_from(pay_out(state), BANDIT) == {PURSE[ANNA]: (60_000,), BOX: (20_000,)}


def test_the_bandit_pays_after_all_casinos() -> None:
    """002, one-armed bandit: a seventh casino; D8."""
    dice: DiceLaid = {6: {BEN: 1}, BANDIT_STACK[1]: {ANNA: 2}, 1: {CARLA: 1}}
    events = pay_out(table_at("modern", 5, OPTIONS, dice=dice)).events
    paid = [event.source for event in events if isinstance(event, NotesMoved) and event.target in PURSE]
    assert paid == [CASINO[1], CASINO[6], BANDIT]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_bandit_is_for_five_or_six_players(players: int) -> None:
    """002, one-armed bandit; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("modern", players, OPTIONS)
    assert (refusal.value.reason, refusal.value.where) == (Reason.BAD_OPTION, "/options/bandit")


@pytest.mark.parametrize("players", range(2, 7))
def test_bandit_and_neutral_dice_never_go_together(players: int) -> None:
    """002, variants for two to four and for five to six players; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("modern", players, {"bandit": True, "neutral_dice": True})
    assert refusal.value.reason is Reason.BAD_OPTION
