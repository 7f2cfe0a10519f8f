"""The new edition, book 002, without the bandit."""

from __future__ import annotations

from collections import Counter

import pytest

from events.types import DiceMoved, DiceReturned, RoundStarted
from events.values import BOX, CASINO, NEUTRAL, OWNER, PILE, PURSE, SUPPLY, Dice
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.scoring import winners
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    DiceLaid,
    ScriptedChance,
    answer,
    new_game,
    notes_moved_from,
    pay_out,
    play,
    roll_dice,
    table_at,
)

NEUTRAL_DICE = {"neutral_dice": True}


def test_each_player_has_six_small_dice_and_a_big_one() -> None:
    """002, set-up."""
    state = new_game("modern", 6)
    assert all(state.supply_of(seat) == Dice(6, 1) for seat in range(6))


def test_forty_eight_bills_of_ten_values() -> None:
    """002, contents."""
    state = new_game("modern", 2)
    bills = Counter(note // 1_000 for lying in state.notes.values() for note in lying)
    assert bills == {10: 4, 20: 4, 30: 5, 40: 5, 50: 6, 60: 6, 70: 6, 80: 4, 90: 4, 100: 4}


def test_two_bills_lie_at_every_casino() -> None:
    """002, set-up."""
    state = new_game("modern", 4)
    assert [len(state.notes_at(number)) for number in range(1, 7)] == [2] * 6


def test_all_dice_of_the_chosen_number_are_placed() -> None:
    """002, how to play, example: four 3s and a 5."""
    valentin = ANNA
    state = table_at("modern", 3, dice={1: {valentin: Dice(1, 1)}})
    state = roll_dice(state, valentin, 3, 3, 3, 3, 5)
    assert choices(state, valentin) == ("place-3", "place-5")
    state = play(state, valentin, "place-3")
    assert state.own_dice(valentin, 3) == Dice(4)
    assert state.supply_of(valentin) == Dice(1)


def test_the_last_die_is_rolled_alone() -> None:
    """002, how to play, example: Valentin's next turn."""
    valentin = ANNA
    state = roll_dice(table_at("modern", 3, dice={1: {valentin: Dice(5, 1)}}), valentin, 4)
    assert choices(state, valentin) == ("place-4",)


def test_the_big_die_goes_where_it_shows() -> None:
    """002, payout: the big die counts as two (D2)."""
    state = roll_dice(new_game("modern", 2), ANNA, 1, 1, 2, 3, 4, 5, big=1)
    assert legal(state, ANNA)[0].label == "Place three dice (weight 4) on casino 1"
    assert play(state, ANNA, "place-1").own_dice(ANNA, 1) == Dice(2, 1)


def test_a_lone_big_die_is_named() -> None:
    """D2: one die, weight two."""
    state = roll_dice(new_game("modern", 2, NEUTRAL_DICE), ANNA, 1, 1, 2, 3, 4, 4, big=5, neutral=(4, 5, 5))
    assert legal(state, ANNA)[-1].label == "Place the big die (weight 2) and two neutral dice on casino 5"


def test_who_has_no_dice_left_sits_out() -> None:
    """002, how to play."""
    state = table_at("modern", 3, dice={1: {BEN: Dice(6, 1)}})
    state = play(roll_dice(state, ANNA, 1, 2, 3, 4, 5, 6, big=6), ANNA, "place-6")
    assert state.turn == CARLA


def test_all_tied_players_take_their_dice_back() -> None:
    """002, ties, example 1: two and two, one and one."""
    state = table_at("modern", 4, dice={3: {ANNA: 2, CARLA: 2, BEN: 1, DENNY: 1}})
    table = pay_out(state)
    assert DiceReturned(CASINO[3], tuple(OWNER[seat] for seat in (ANNA, CARLA, BEN, DENNY))) in table.events
    assert not any(table.state.notes_of(seat) for seat in range(4))


def test_the_big_die_keeps_three_dice_from_tying_with_three() -> None:
    """002, ties, example 2: Anna's three include the big die."""
    dice: DiceLaid = {3: {ANNA: Dice(2, 1), BEN: Dice(3), CARLA: Dice(3), DENNY: Dice(1)}}
    table = pay_out(table_at("modern", 4, dice=dice))
    assert DiceReturned(CASINO[3], (OWNER[BEN], OWNER[CARLA])) in table.events
    assert [bool(table.state.notes_of(seat)) for seat in range(4)] == [True, False, False, True]


def test_most_dice_take_the_higher_bill_second_most_the_other() -> None:
    """002, payout, example 1: Anna 80, Denny 30."""
    dice: DiceLaid = {1: {ANNA: Dice(2, 1), BEN: Dice(3), CARLA: Dice(3), DENNY: Dice(1)}}
    table = pay_out(table_at("modern", 4, notes={1: (30_000, 80_000)}, dice=dice))
    assert notes_moved_from(table, 1) == {PURSE[ANNA]: (80_000,), PURSE[DENNY]: (30_000,)}


def test_a_bill_nobody_won_returns_to_the_box() -> None:
    """002, payout, example 2: Ben 40, the second bill to the box."""
    state = table_at("modern", 4, notes={2: (40_000, 40_000)}, dice={2: {BEN: 2, ANNA: 1, CARLA: 1}})
    assert notes_moved_from(pay_out(state), 2) == {PURSE[BEN]: (40_000,), BOX: (40_000,)}


def test_the_third_goes_empty_handed() -> None:
    """002, payout, example 3: Carla 70, Ben 20, Denny nothing."""
    dice: DiceLaid = {6: {CARLA: 4, BEN: 2, DENNY: 1}}
    table = pay_out(table_at("modern", 4, notes={6: (20_000, 70_000)}, dice=dice))
    assert notes_moved_from(table, 6) == {PURSE[CARLA]: (70_000,), PURSE[BEN]: (20_000,)}
    assert table.state.supply_of(DENNY) == Dice(6, 1)


def test_bills_in_the_box_never_return() -> None:
    """002, payout; M2."""
    state = pay_out(table_at("modern", 2, notes={1: (80_000, 30_000)}, dice={1: {ANNA: 1}})).state
    assert state.notes[BOX] == (30_000,)
    for _ in range(2):
        state = pay_out(state).state
    assert state.status == "over"
    assert len(state.notes[PILE]) == 48 - 2 - 2 * 12


def test_who_rolled_last_starts_the_next_round() -> None:
    """002, the next round; P5."""
    state = table_at("modern", 3, dice={1: {ANNA: Dice(6, 1), BEN: Dice(6, 1), CARLA: Dice(5, 1)}})
    table = answer(roll_dice(state, CARLA, 4), CARLA, "place-4")
    assert state.starter == ANNA
    assert [event for event in table.events if isinstance(event, RoundStarted)] == [RoundStarted(2, CARLA)]
    assert table.state.turn == CARLA


def test_the_game_ends_after_three_rounds() -> None:
    """002, end of the game."""
    state = new_game("modern", 2)
    rounds = []
    while state.status != "over":
        rounds.append(state.round)
        state = pay_out(state).state
    assert rounds == [1, 2, 3]


def test_most_cash_wins_then_most_bills_then_several() -> None:
    """002, end of the game; P6."""
    assert winners(table_at("modern", 2, purses={ANNA: (60_000,), BEN: (70_000,)})) == (BEN,)
    assert winners(table_at("modern", 2, purses={ANNA: (60_000,), BEN: (50_000, 10_000)})) == (BEN,)
    assert winners(table_at("modern", 2, purses={ANNA: (60_000,), BEN: (60_000,)})) == (ANNA, BEN)


@pytest.mark.parametrize(("players", "each"), [(2, 3), (3, 2), (4, 1)])
def test_neutral_dice_by_the_number_of_players(players: int, each: int) -> None:
    """002, variant for two to four players; D9: small ones, none left over or rolled ahead."""
    state = new_game("modern", players, NEUTRAL_DICE)
    assert [state.dice_of(NEUTRAL, SUPPLY[seat]) for seat in range(players)] == [Dice(each)] * players
    assert not state.heap(BOX)
    assert not any(state.heap(CASINO[number]) for number in range(1, 7))


def test_neutral_dice_come_back_every_round() -> None:
    """002, variant for two to four players: at the start of every round."""
    table = pay_out(new_game("modern", 3, NEUTRAL_DICE))
    assert [event for event in table.events if isinstance(event, DiceMoved)] == [
        DiceMoved(NEUTRAL, BOX, SUPPLY[seat], 2) for seat in range(3)
    ]


def test_neutral_dice_are_placed_with_the_own_ones() -> None:
    """002, variant for two to four players, example: Carla's 1s, 5 and neutral 6."""
    carla = 0
    state = table_at("modern", 2, NEUTRAL_DICE, dice={2: {carla: Dice(3, 1), NEUTRAL: 1}})
    state = roll_dice(state, carla, 1, 1, 5, neutral=(1, 6))
    assert [option.label for option in legal(state, carla)] == [
        "Place two dice and one neutral die on casino 1",
        "Place one die on casino 5",
        "Place one neutral die on casino 6",
    ]
    state = play(state, carla, "place-1")
    assert state.heap(CASINO[1]) == {OWNER[carla]: Dice(2), NEUTRAL: Dice(1)}


def test_a_hand_of_neutral_dice_only_is_played_on() -> None:
    """002, variant for two to four players; D5."""
    state = table_at("modern", 2, NEUTRAL_DICE, dice={2: {ANNA: Dice(6, 1)}})
    state = play(roll_dice(state, ANNA, neutral=(4, 4, 5)), ANNA, "place-4")
    assert state.dice_of(NEUTRAL, CASINO[4]) == Dice(2)


def test_the_imaginary_player_takes_the_higher_bill_to_the_box() -> None:
    """002, variant for two to four players, example 1: 80 to white, 30 to Ben; D3."""
    state = table_at("modern", 2, NEUTRAL_DICE, notes={1: (80_000, 30_000)}, dice={1: {NEUTRAL: 3, BEN: 2}})
    assert notes_moved_from(pay_out(state), 1) == {BOX: (80_000,), PURSE[BEN]: (30_000,)}


def test_the_imaginary_player_takes_the_second_bill_to_the_box() -> None:
    """002, variant for two to four players, example 2: Carla 70, 40 to neutral, Anna nothing; D3."""
    dice: DiceLaid = {4: {CARLA: Dice(2, 1), NEUTRAL: Dice(2), ANNA: Dice(1)}}
    state = table_at("modern", 3, NEUTRAL_DICE, notes={4: (40_000, 70_000)}, dice=dice)
    assert notes_moved_from(pay_out(state), 4) == {PURSE[CARLA]: (70_000,), BOX: (40_000,)}


def test_neutral_dice_tie_like_a_player() -> None:
    """002, variant for two to four players; D3."""
    state = table_at("modern", 2, NEUTRAL_DICE, notes={1: (80_000, 30_000)}, dice={1: {NEUTRAL: 2, BEN: 2}})
    assert notes_moved_from(pay_out(state), 1) == {BOX: (80_000, 30_000)}


@pytest.mark.parametrize("players", [1, 7])
def test_two_to_six_players(players: int) -> None:
    """002, contents; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("modern", players)
    assert refusal.value.reason is Reason.BAD_SEATS


@pytest.mark.parametrize("players", [5, 6])
def test_neutral_dice_are_for_two_to_four_players(players: int) -> None:
    """002, variant for two to four players; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("modern", players, NEUTRAL_DICE)
    assert (refusal.value.reason, refusal.value.where) == (Reason.BAD_OPTION, "/options/neutral_dice")


def test_chance_picks_the_first_starter_unless_a_seat_is_named() -> None:
    """002, how to play; P2."""
    assert new_game("modern", 4, chance=ScriptedChance(picks=[2])).starter == CARLA
    assert new_game("modern", 4, {"start_seat": DENNY}).starter == DENNY
