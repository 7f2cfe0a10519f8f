"""The basic game of Royale, books 000 and 003: from round to round, and the end."""

from __future__ import annotations

from events.types import NotesMoved, RoundStarted
from events.values import PILE, Dice
from rules.scoring import totals, winners
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    ScriptedChance,
    apply_events,
    basic_game,
    pay_out,
    with_chips,
    with_purse,
)

# The next round


def test_a_new_round_brings_new_pairs_and_two_more_chips() -> None:
    """000, second and third round; leftover chips stay."""
    state = pay_out(basic_game(3, {1: {ANNA: 1}})).state
    assert state.round == 2
    assert [len(state.notes_at(number)) for number in range(1, 7)] == [2] * 6
    assert [state.chips_of(seat) for seat in range(3)] == [4, 4, 4]
    assert all(state.supply_of(seat) == Dice(7, 1) for seat in range(3))


def test_the_winner_of_casino_six_starts_the_next_round() -> None:
    """000, second and third round."""
    assert pay_out(basic_game(3, {6: {BEN: 2, CARLA: 1}, 5: {ANNA: 3}})).state.starter == BEN


def test_with_no_winner_at_six_the_next_lower_casino_decides() -> None:
    """000, second and third round (P4)."""
    state = basic_game(3, {6: {BEN: 2, CARLA: 2}, 4: {CARLA: 3}, 1: {ANNA: 1}})
    assert pay_out(state).state.starter == CARLA


def test_a_higher_card_of_the_imaginary_player_sends_the_search_on() -> None:
    """P4: even though Ben took the lower card of casino 6."""
    state = basic_game(2, {6: {BEN: 2}, 2: {BEN: 1}, 3: {ANNA: 1}})
    assert pay_out(state, ScriptedChance([(6,) * 8])).state.starter == ANNA


def test_without_any_winner_the_starter_stays() -> None:
    """P4."""
    state = basic_game(3, {6: {BEN: 2, CARLA: 2, ANNA: 2}})
    state = pay_out(apply_events(state, RoundStarted(1, CARLA))).state
    assert state.starter == CARLA


# The end


def test_the_game_ends_after_three_rounds() -> None:
    """000, end of the game."""
    state = apply_events(basic_game(3, {6: {BEN: 2}}), RoundStarted(3, ANNA))
    assert pay_out(state).state.status == "over"


def test_each_chip_is_worth_ten_thousand() -> None:
    """000, end of the game (M5)."""
    state = with_chips(with_purse(basic_game(3), BEN, 60_000), BEN, 3)
    assert totals(state) == (20_000, 90_000, 20_000)


def test_there_are_more_chips_than_the_box_holds() -> None:
    """M5."""
    state = basic_game(3)
    for seat in range(3):
        state = with_chips(state, seat, 12)
    assert totals(pay_out(state).state) == (140_000, 140_000, 140_000)


def test_cards_and_chips_together_break_a_tie() -> None:
    """000, end of the game (P6): one card and two chips beat two cards."""
    state = with_chips(with_chips(with_chips(basic_game(3, one=(60_000, 90_000)), ANNA, 2), BEN, 0), CARLA, 0)
    state = with_purse(with_purse(state, ANNA, 50_000), BEN, 40_000, 30_000)
    assert totals(state)[:2] == (70_000, 70_000)
    assert winners(state) == (ANNA,)


def test_those_still_level_all_win() -> None:
    """000, end of the game (P6): a card and a chip count alike."""
    state = with_chips(with_chips(with_chips(basic_game(3, one=(60_000, 90_000)), ANNA, 1), BEN, 0), CARLA, 0)
    state = with_purse(with_purse(state, ANNA, 60_000), BEN, 40_000, 30_000)
    assert winners(state) == (ANNA, BEN)


def test_one_draw_fills_all_casinos() -> None:
    """M3: six pairs, all under one running number."""
    table = pay_out(basic_game(3))
    numbers = {e.chance for e in table.events if isinstance(e, NotesMoved) and e.source == PILE}
    assert len(numbers) == 1
