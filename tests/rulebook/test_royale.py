"""The basic game of Royale, books 000 and 003, and what the main game adds around its tiles."""

from __future__ import annotations

from collections import Counter

import pytest

from events.types import CasinoClosed, ChipsMoved, DiceReturned, NotesMoved, RoundStarted
from events.values import BANK, BOX, CASINO, GREY, NEUTRAL, OWNER, PILE, PURSE, UNDER, Dice
from rules.editions import EDITIONS
from rules.editions.royale import NOTES
from rules.legal import choices, legal
from rules.rejection import Reason, Rejected
from rules.scoring import totals, winners
from rules.state import State
from tests.rulebook.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    DiceLaid,
    NotesLaid,
    Scripted,
    after,
    answered,
    moved_notes,
    new_game,
    paid_out,
    play,
    rolled,
    table_at,
)
from tests.rulebook.royale_tables import tile_table, with_chips, with_purse

BASIC = {"tiles": 0, "start_seat": 0}


def basic(players: int, dice: DiceLaid | None = None, **notes: tuple[int, ...]) -> State:
    """A basic game; notes are named by casino, as in `six=(…)`."""
    numbers = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
    laid: NotesLaid = {numbers[name]: pair for name, pair in notes.items()}
    chance = Scripted([(6,) * 8]) if players == 2 else None
    return table_at("royale", players, BASIC, dice=dice, notes=laid or None, chance=chance)


def picks(*drawn: int) -> list[int]:
    """What chance has to pick so that these notes are drawn from all ninety, in this order."""
    left, found = list(NOTES), []
    for note in drawn:
        found.append(left.index(note))
        left.pop(found[-1])
    return found


def drawn_pairs(*pairs: tuple[int, int]) -> State:
    script = Scripted(picks=picks(*(note * 1_000 for pair in pairs for note in pair)))
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


def test_casinos_are_named_where_the_book_names_them() -> None:
    """000: Miracle, Cleopatra and Sunset; the others go by their number."""
    assert EDITIONS["royale"].casinos == ("Miracle", "2", "3", "4", "Cleopatra", "Sunset")


# Turns and chips


def test_all_dice_of_the_chosen_number_are_placed() -> None:
    """000 and 003, playing the game, example: Ben's third turn, four 3s and a 5."""
    state = rolled(basic(3, {1: {BEN: Dice(2, 1)}}), BEN, 3, 3, 3, 3, 5)
    assert choices(state, BEN)[:2] == ("place-3", "place-5")
    state = play(state, BEN, "place-3")
    assert state.own_dice(BEN, 3) == Dice(4)
    assert state.supply_of(BEN) == Dice(1)


def test_the_last_die_is_rolled_alone() -> None:
    """000 and 003, playing the game, example: Ben's next turn."""
    state = rolled(basic(3, {1: {BEN: Dice(6, 1)}}), BEN, 4)
    assert choices(state, BEN) == ("place-4", "pass")


def test_who_has_no_dice_left_sits_out() -> None:
    """000, playing the game."""
    state = rolled(basic(3, {1: {BEN: Dice(7, 1)}}), ANNA, 1, 2, 3, 4, 5, 6, 6, big=6)
    assert play(state, ANNA, "place-6").turn == CARLA


def test_the_only_one_with_dice_takes_several_turns_in_a_row() -> None:
    """000, playing the game."""
    state = basic(3, {1: {BEN: Dice(7, 1)}, 2: {CARLA: Dice(7, 1)}, 3: {ANNA: Dice(5, 1)}})
    state = play(rolled(state, ANNA, 4, 5), ANNA, "place-4")
    assert state.turn == ANNA
    assert state.roll is not None


def test_a_chip_lets_a_player_keep_all_dice() -> None:
    """000, the chips."""
    state = rolled(basic(3), ANNA, 1, 1, 2, 3, 4, 5, 6, big=6)
    assert legal(state, ANNA)[-1].label == "Pay one chip and keep all your dice"
    table = answered(state, ANNA, "pass")
    assert ChipsMoved(PURSE[ANNA], BANK, 1) in table.events
    assert table.state.supply_of(ANNA) == Dice(7, 1)
    assert table.state.turn == BEN


def test_without_a_chip_nobody_passes() -> None:
    """000, the chips."""
    state = rolled(with_chips(basic(3), ANNA, 0), ANNA, 1, 1, 2, 3, 4, 5, 6, big=6)
    assert "pass" not in choices(state, ANNA)
    with pytest.raises(Rejected) as refusal:
        play(state, ANNA, "pass")
    assert refusal.value.reason == Reason.ILLEGAL_CHOICE


def test_the_last_player_with_dice_may_pass_and_rolls_again() -> None:
    """D10."""
    state = basic(3, {1: {BEN: Dice(7, 1)}, 2: {CARLA: Dice(7, 1)}, 3: {ANNA: Dice(6, 1)}})
    table = answered(rolled(state, ANNA, 4), ANNA, "pass", Scripted([(2,)]))
    assert table.state.turn == ANNA
    assert choices(table.state, ANNA) == ("place-2", "pass")


def test_a_roll_of_closed_numbers_only_passes_the_turn_unasked_and_free() -> None:
    """D7 and D11."""
    state = after(basic(3, {1: {BEN: Dice(5, 1)}}), CasinoClosed(3))
    state = rolled(state, BEN, 3, 3)
    assert state.turn == CARLA
    assert state.supply_of(BEN) == Dice(2)
    assert state.chips_of(BEN) == 2


def test_a_closed_number_is_not_offered() -> None:
    """D7: other numbers of the same roll are."""
    state = rolled(after(basic(3, {1: {BEN: Dice(5, 1)}}), CasinoClosed(3)), BEN, 3, 5)
    assert choices(state, BEN) == ("place-5", "pass")


# Payout


def test_tied_players_take_all_their_dice_back() -> None:
    """000 and 003, payout, example 1: Ben's three tie with Carla's one and her big die (D2)."""
    dice: DiceLaid = {3: {ANNA: 5, BEN: 3, CARLA: Dice(1, 1), DENNY: 1}}
    table = paid_out(basic(4, dice, three=(40_000, 70_000)))
    assert DiceReturned(CASINO[3], (OWNER[BEN], OWNER[CARLA])) in table.events
    assert moved_notes(table, 3) == {PURSE[ANNA]: (70_000,), PURSE[DENNY]: (40_000,)}


def test_a_big_die_ties_with_two_small_ones() -> None:
    """000 and 003, payout, example 2: all four take their dice back (D2)."""
    dice: DiceLaid = {2: {ANNA: Dice(0, 1), CARLA: 2, BEN: 1, DENNY: 1}}
    table = paid_out(basic(4, dice, two=(40_000, 70_000)))
    assert moved_notes(table, 2) == {UNDER: (70_000, 40_000)}


def test_the_card_nobody_won_goes_below_the_pile() -> None:
    """000 and 003, payout, first casino: Ben wins $40,000, the other $40,000 goes back (M3)."""
    table = paid_out(basic(4, {1: {BEN: 2, ANNA: 1, CARLA: 1}}, one=(40_000, 40_000)))
    assert moved_notes(table, 1) == {PURSE[BEN]: (40_000,), UNDER: (40_000,)}


def test_the_third_goes_empty_handed() -> None:
    """000 and 003, payout, second casino: Carla $70,000, Ben $30,000, Denny nothing."""
    table = paid_out(basic(4, {2: {CARLA: 3, BEN: 2, DENNY: 1}}, two=(30_000, 70_000)))
    assert moved_notes(table, 2) == {PURSE[CARLA]: (70_000,), PURSE[BEN]: (30_000,)}


def test_most_dice_take_the_higher_card_second_most_the_other() -> None:
    """000 and 003, payout, third casino: Anna $80,000, Denny $50,000, the others tied at three (D2)."""
    dice: DiceLaid = {3: {ANNA: 5, BEN: 3, CARLA: Dice(1, 1), DENNY: 1}}
    table = paid_out(basic(4, dice, three=(50_000, 80_000)))
    assert moved_notes(table, 3) == {PURSE[ANNA]: (80_000,), PURSE[DENNY]: (50_000,)}


# The next round


def test_a_new_round_brings_new_pairs_and_two_more_chips() -> None:
    """000, second and third round; leftover chips stay."""
    state = paid_out(basic(3, {1: {ANNA: 1}})).state
    assert state.round == 2
    assert [len(state.notes_at(number)) for number in range(1, 7)] == [2] * 6
    assert [state.chips_of(seat) for seat in range(3)] == [4, 4, 4]
    assert all(state.supply_of(seat) == Dice(7, 1) for seat in range(3))


def test_the_winner_of_casino_six_starts_the_next_round() -> None:
    """000, second and third round."""
    assert paid_out(basic(3, {6: {BEN: 2, CARLA: 1}, 5: {ANNA: 3}})).state.starter == BEN


def test_with_no_winner_at_six_the_next_lower_casino_decides() -> None:
    """000, second and third round (P4)."""
    state = basic(3, {6: {BEN: 2, CARLA: 2}, 4: {CARLA: 3}, 1: {ANNA: 1}})
    assert paid_out(state).state.starter == CARLA


def test_a_higher_card_of_the_imaginary_player_sends_the_search_on() -> None:
    """P4: even though Ben took the lower card of casino 6."""
    state = basic(2, {6: {BEN: 2}, 2: {BEN: 1}, 3: {ANNA: 1}})
    assert paid_out(state, Scripted([(6,) * 8])).state.starter == ANNA


def test_without_any_winner_the_starter_stays() -> None:
    """P4."""
    state = basic(3, {6: {BEN: 2, CARLA: 2, ANNA: 2}})
    state = paid_out(after(state, RoundStarted(1, CARLA))).state
    assert state.starter == CARLA


# The end


def test_the_game_ends_after_three_rounds() -> None:
    """000, end of the game."""
    state = after(basic(3, {6: {BEN: 2}}), RoundStarted(3, ANNA))
    assert paid_out(state).state.status == "over"


def test_each_chip_is_worth_ten_thousand() -> None:
    """000, end of the game (M5)."""
    state = with_chips(with_purse(basic(3), BEN, 60_000), BEN, 3)
    assert totals(state) == (20_000, 90_000, 20_000)


def test_there_are_more_chips_than_the_box_holds() -> None:
    """M5."""
    state = basic(3)
    for seat in range(3):
        state = with_chips(state, seat, 12)
    assert totals(paid_out(state).state) == (140_000, 140_000, 140_000)


def test_cards_and_chips_together_break_a_tie() -> None:
    """000, end of the game (P6): one card and two chips beat two cards."""
    state = with_chips(with_chips(with_chips(basic(3, one=(60_000, 90_000)), ANNA, 2), BEN, 0), CARLA, 0)
    state = with_purse(with_purse(state, ANNA, 50_000), BEN, 40_000, 30_000)
    assert totals(state)[:2] == (70_000, 70_000)
    assert winners(state) == (ANNA,)


def test_those_still_level_all_win() -> None:
    """000, end of the game (P6): a card and a chip count alike."""
    state = with_chips(with_chips(with_chips(basic(3, one=(60_000, 90_000)), ANNA, 1), BEN, 0), CARLA, 0)
    state = with_purse(with_purse(state, ANNA, 60_000), BEN, 40_000, 30_000)
    assert winners(state) == (ANNA, BEN)


# Two players


def test_two_players_meet_the_whole_neutral_set() -> None:
    """000, variant: all eight dice of another colour are rolled and placed (D4, P1)."""
    state = new_game("royale", 2, BASIC, Scripted([(1, 1, 2, 3, 3, 3, 6, 5)]))
    lying = {number: state.dice_of(NEUTRAL, CASINO[number]) for number in range(1, 7)}
    assert lying == {1: Dice(2), 2: Dice(1), 3: Dice(3), 4: Dice(), 5: Dice(0, 1), 6: Dice(1)}


def test_the_neutral_set_is_rolled_anew_each_round() -> None:
    """000, variant (D4)."""
    state = paid_out(basic(2), Scripted([(4,) * 8])).state
    assert state.dice_of(NEUTRAL, CASINO[4]) == Dice(7, 1)


def test_the_neutral_winner_puts_its_card_below_the_pile() -> None:
    """000 and 003, variant, example 1: $80,000 to the neutral player, $30,000 to Ben (D3)."""
    table = paid_out(basic(2, {6: {BEN: 2, ANNA: 1}}, six=(30_000, 80_000)), Scripted([(6,) * 8]))
    assert moved_notes(table, 6) == {PURSE[BEN]: (30_000,), UNDER: (80_000,)}


def test_the_neutral_player_as_second_keeps_the_third_out() -> None:
    """000 and 003, variant, example 2: Carla $70,000, the neutral player $40,000, Ben nothing (D3)."""
    carla = ANNA
    chance = Scripted([(3, 3, 1, 1, 1, 1, 1, 1)])
    dice: DiceLaid = {3: {carla: 3, BEN: 1}}
    state = table_at("royale", 2, BASIC, notes={3: (40_000, 70_000)}, dice=dice, chance=chance)
    assert moved_notes(paid_out(state), 3) == {PURSE[carla]: (70_000,), UNDER: (40_000,)}


def test_neutral_dice_tie_like_players() -> None:
    """D3."""
    table = paid_out(basic(2, {6: {BEN: Dice(7, 1), ANNA: 1}}, six=(30_000, 80_000)))
    assert moved_notes(table, 6) == {PURSE[ANNA]: (80_000,), UNDER: (30_000,)}


def test_two_imaginary_players_win_a_card_each() -> None:
    """D3: in the order of their dice, and the log tells the two apart."""
    dice: DiceLaid = {3: {GREY: 3, BEN: 1}}
    neutral, pair = (3, 3, 1, 1, 1, 1, 1, 1), (40_000, 70_000)
    table = paid_out(tile_table("A1", players=2, neutral=neutral, dice=dice, notes={3: pair}))
    assert [event for event in table.events if isinstance(event, NotesMoved) and event.winner] == [
        NotesMoved(CASINO[3], UNDER, (70_000,), winner=GREY),
        NotesMoved(CASINO[3], UNDER, (40_000,), winner=NEUTRAL),
    ]
    assert table.state.notes[UNDER] == (70_000, 40_000)


def test_one_draw_fills_all_casinos() -> None:
    """M3: six pairs, all under one running number."""
    table = paid_out(basic(3))
    numbers = {e.chance for e in table.events if isinstance(e, NotesMoved) and e.source == PILE}
    assert len(numbers) == 1
