"""The basic game of Royale, books 000 and 003: set-up, turns, chips and payout."""

from __future__ import annotations

from collections import Counter

import pytest

from events.types import CasinoClosed, ChipsMoved, DiceReturned
from events.values import BANK, BOX, CASINO, OWNER, PURSE, UNDER, Dice
from rules.editions import EDITIONS
from rules.editions.royale import NOTES
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.ruleset import Ruleset
from rules.state import State
from tests.support.positions import (
    ANNA,
    BASIC,
    BEN,
    CARLA,
    DENNY,
    DiceLaid,
    ScriptedChance,
    answer,
    apply_events,
    basic_game,
    new_game,
    notes_moved_from,
    pay_out,
    play,
    roll_dice,
    with_chips,
)


def picks(*drawn: int) -> list[int]:
    """What chance has to pick so that these notes are drawn from all ninety, in this order."""
    left, found = list(NOTES), []
    for note in drawn:
        found.append(left.index(note))
        left.pop(found[-1])
    return found


def drawn_pairs(*pairs: tuple[int, int]) -> State:
    script = ScriptedChance(picks=picks(*(note * 1_000 for pair in pairs for note in pair)))
    return new_game("royale", 3, BASIC, script)


# Set-up


def test_ninety_money_cards() -> None:
    """003, components (M3)."""
    counts = Counter(note // 1_000 for note in NOTES)
    assert counts == {30: 11, 40: 11, 50: 13, 60: 15, 70: 13, 80: 11, 90: 9, 100: 7}
    assert len(NOTES) == 90


def test_the_dearest_pair_lies_at_casino_six() -> None:
    """000, game setup: pairs are ranked by their sum from casino 6 down (M3)."""
    state = drawn_pairs((30, 30), (100, 90), (50, 40), (80, 70), (60, 60), (90, 90))
    worth = [sum(state.notes_at(number)) for number in range(1, 7)]
    assert worth == [60_000, 90_000, 120_000, 150_000, 180_000, 190_000]


def test_of_equal_pairs_the_one_with_the_dearer_card_ranks_higher() -> None:
    """000 and 003, game setup, illustration: casinos 5 and 4 (M3)."""
    state = drawn_pairs((30, 30), (60, 60), (30, 90), (30, 40), (30, 50), (100, 100))
    assert state.notes_at(5) == (30_000, 90_000)
    assert state.notes_at(4) == (60_000, 60_000)


def test_of_twin_pairs_the_one_drawn_earlier_ranks_higher() -> None:
    """M3: the order in which the cards were turned over tells the twins apart."""
    state = drawn_pairs((30, 30), (90, 60), (60, 90), (30, 40), (30, 50), (30, 60))
    assert state.notes_at(6) == (90_000, 60_000)
    assert state.notes_at(5) == (60_000, 90_000)


def test_each_player_has_seven_small_dice_a_big_one_and_two_chips() -> None:
    """000, game setup."""
    state = new_game("royale", 5, BASIC)
    assert all(state.supply_of(seat) == Dice(7, 1) and state.chips_of(seat) == 2 for seat in range(5))


def test_the_basic_game_has_no_bank_no_tiles_and_no_extra_dice() -> None:
    """000, game setup: all other material stays in the box."""
    state = new_game("royale", 3, BASIC)
    assert BANK not in state.notes
    assert state.tiles == ()
    assert not state.heap(BOX)


@pytest.mark.parametrize("players", [1, 6])
def test_two_to_five_may_play(players: int) -> None:
    """P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("royale", players, BASIC)
    assert refusal.value.reason == Reason.BAD_SEATS


def test_casinos_that_the_book_names_have_these_names() -> None:
    """000: Miracle, Cleopatra and Sunset; the names of the others are ours."""
    casinos = EDITIONS.newest["royale"].casinos
    assert (casinos[0], *casinos[4:]) == ("Miracle", "Cleopatra", "Sunset")


@pytest.mark.parametrize("ruleset", EDITIONS.releases, ids=lambda ruleset: f"{ruleset.id}-{ruleset.release}")
def test_every_casino_has_a_name_of_its_own(ruleset: Ruleset) -> None:
    assert len(set(ruleset.casinos)) == 6
    assert not any(name.isdigit() for name in ruleset.casinos)


# Turns and chips


def test_all_dice_of_the_chosen_number_are_placed() -> None:
    """000 and 003, playing the game, example: Ben's third turn, four 3s and a 5."""
    state = roll_dice(basic_game(3, {1: {BEN: Dice(2, 1)}}), BEN, 3, 3, 3, 3, 5)
    assert choices(state, BEN)[:2] == ("place-3", "place-5")
    state = play(state, BEN, "place-3")
    assert state.own_dice(BEN, 3) == Dice(4)
    assert state.supply_of(BEN) == Dice(1)


def test_the_last_die_is_rolled_alone() -> None:
    """000 and 003, playing the game, example: Ben's next turn."""
    state = roll_dice(basic_game(3, {1: {BEN: Dice(6, 1)}}), BEN, 4)
    assert choices(state, BEN) == ("place-4", "pass")


def test_who_has_no_dice_left_sits_out() -> None:
    """000, playing the game."""
    state = roll_dice(basic_game(3, {1: {BEN: Dice(7, 1)}}), ANNA, 1, 2, 3, 4, 5, 6, 6, big=6)
    assert play(state, ANNA, "place-6").turn == CARLA


def test_the_only_one_with_dice_takes_several_turns_in_a_row() -> None:
    """000, playing the game."""
    state = basic_game(3, {1: {BEN: Dice(7, 1)}, 2: {CARLA: Dice(7, 1)}, 3: {ANNA: Dice(5, 1)}})
    state = play(roll_dice(state, ANNA, 4, 5), ANNA, "place-4")
    assert state.turn == ANNA
    assert state.roll is not None


def test_a_chip_lets_a_player_keep_all_dice() -> None:
    """000, the chips."""
    state = roll_dice(basic_game(3), ANNA, 1, 1, 2, 3, 4, 5, 6, big=6)
    assert legal(state, ANNA)[-1].label == "Pay one chip and keep all your dice"
    table = answer(state, ANNA, "pass")
    assert ChipsMoved(PURSE[ANNA], BANK, 1) in table.events
    assert table.state.supply_of(ANNA) == Dice(7, 1)
    assert table.state.turn == BEN


def test_without_a_chip_nobody_passes() -> None:
    """000, the chips."""
    state = roll_dice(with_chips(basic_game(3), ANNA, 0), ANNA, 1, 1, 2, 3, 4, 5, 6, big=6)
    assert "pass" not in choices(state, ANNA)
    with pytest.raises(Rejected) as refusal:
        play(state, ANNA, "pass")
    assert refusal.value.reason == Reason.ILLEGAL_CHOICE


def test_the_last_player_with_dice_may_pass_and_rolls_again() -> None:
    """D10."""
    state = basic_game(3, {1: {BEN: Dice(7, 1)}, 2: {CARLA: Dice(7, 1)}, 3: {ANNA: Dice(6, 1)}})
    table = answer(roll_dice(state, ANNA, 4), ANNA, "pass", ScriptedChance([(2,)]))
    assert table.state.turn == ANNA
    assert choices(table.state, ANNA) == ("place-2", "pass")


def test_a_roll_of_closed_numbers_only_passes_the_turn_unasked_and_free() -> None:
    """D7 and D11."""
    state = apply_events(basic_game(3, {1: {BEN: Dice(5, 1)}}), CasinoClosed(3))
    state = roll_dice(state, BEN, 3, 3)
    assert state.turn == CARLA
    assert state.supply_of(BEN) == Dice(2)
    assert state.chips_of(BEN) == 2


def test_a_closed_number_is_not_offered() -> None:
    """D7: other numbers of the same roll are."""
    state = roll_dice(apply_events(basic_game(3, {1: {BEN: Dice(5, 1)}}), CasinoClosed(3)), BEN, 3, 5)
    assert choices(state, BEN) == ("place-5", "pass")


# Payout


def test_tied_players_take_all_their_dice_back() -> None:
    """000 and 003, payout, example 1: Ben's three tie with Carla's one and her big die (D2)."""
    dice: DiceLaid = {3: {ANNA: 5, BEN: 3, CARLA: Dice(1, 1), DENNY: 1}}
    table = pay_out(basic_game(4, dice, three=(40_000, 70_000)))
    assert DiceReturned(CASINO[3], (OWNER[BEN], OWNER[CARLA])) in table.events
    assert notes_moved_from(table, 3) == {PURSE[ANNA]: (70_000,), PURSE[DENNY]: (40_000,)}


def test_a_big_die_ties_with_two_small_ones() -> None:
    """000 and 003, payout, example 2: all four take their dice back (D2)."""
    dice: DiceLaid = {2: {ANNA: Dice(0, 1), CARLA: 2, BEN: 1, DENNY: 1}}
    table = pay_out(basic_game(4, dice, two=(40_000, 70_000)))
    assert notes_moved_from(table, 2) == {UNDER: (70_000, 40_000)}


def test_the_card_nobody_won_goes_below_the_pile() -> None:
    """000 and 003, payout, first casino: Ben wins $40,000, the other $40,000 goes back (M3)."""
    table = pay_out(basic_game(4, {1: {BEN: 2, ANNA: 1, CARLA: 1}}, one=(40_000, 40_000)))
    assert notes_moved_from(table, 1) == {PURSE[BEN]: (40_000,), UNDER: (40_000,)}


def test_the_third_goes_empty_handed() -> None:
    """000 and 003, payout, second casino: Carla $70,000, Ben $30,000, Denny nothing."""
    table = pay_out(basic_game(4, {2: {CARLA: 3, BEN: 2, DENNY: 1}}, two=(30_000, 70_000)))
    assert notes_moved_from(table, 2) == {PURSE[CARLA]: (70_000,), PURSE[BEN]: (30_000,)}


def test_most_dice_take_the_higher_card_second_most_the_other() -> None:
    """000 and 003, payout, third casino: Anna $80,000, Denny $50,000, the others tied at three (D2)."""
    dice: DiceLaid = {3: {ANNA: 5, BEN: 3, CARLA: Dice(1, 1), DENNY: 1}}
    table = pay_out(basic_game(4, dice, three=(50_000, 80_000)))
    assert notes_moved_from(table, 3) == {PURSE[ANNA]: (80_000,), PURSE[DENNY]: (50_000,)}
