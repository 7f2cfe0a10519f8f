"""BAD LUCK, tile C2."""

from __future__ import annotations

from events.types import CasinoClosed, CounterMoved, NotesMoved, RoundStarted
from events.values import BANK, GREY, PURSE, Dice
from rules.scoring import totals
from rules.state import State
from rules.table import Table
from rules.tiles.c2_bad_luck import BAD_LUCK
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DiceLaid,
    apply_events,
    gains,
    pay_out,
    place_number,
    play,
    tile_table,
    with_bank,
    with_chips,
    with_purse,
)


def table_with(dice: DiceLaid, players: int = 3, neutral: tuple[int, ...] = (6,) * 8) -> State:
    """Everybody has exactly the $50,000 that may be due; the bank is empty."""
    state = with_bank(tile_table("C2", dice=dice, players=players, neutral=neutral))
    for seat in range(players):
        state = with_chips(with_purse(state, seat, 50_000), seat, 0)
    return state


def owing(state: State) -> list[int]:
    """The seats that lose $50,000 when the round ends; each gets two chips for the next one."""
    after_it = totals(pay_out(state).state)
    return [seat for seat, before in enumerate(totals(state)) if after_it[seat] == before - 50_000 + 20_000]


def test_who_has_the_fewest_dice_pays_fifty_thousand() -> None:
    """000 BAD LUCK."""
    state = table_with({1: {ANNA: 3, BEN: 2, CARLA: 1}})
    assert owing(state) == [CARLA]
    assert pay_out(state).state.notes[BANK] == (50_000,)


def test_no_dice_at_all_are_the_fewest() -> None:
    """000 BAD LUCK."""
    assert owing(table_with({1: {ANNA: 1, BEN: 2}})) == [CARLA]


def test_all_who_share_the_lowest_number_pay() -> None:
    """000 BAD LUCK: each player."""
    assert owing(table_with({1: {ANNA: 2, BEN: 1, CARLA: 1}})) == [BEN, CARLA]
    assert owing(table_with({})) == [ANNA, BEN, CARLA]


def test_tied_dice_still_count() -> None:
    """000 BAD LUCK, D8: noted before ties leave, so the tied are not at zero."""
    assert owing(table_with({1: {ANNA: 2, BEN: 2, CARLA: 1}})) == [CARLA]


def test_the_big_die_is_two() -> None:
    """D2."""
    assert owing(table_with({1: {ANNA: Dice(0, 1), BEN: 2, CARLA: 1}})) == [CARLA]


def test_imaginary_players_are_left_out() -> None:
    """T-C2: the neutral set has none there and the grey dice one; the lowest real player pays."""
    assert owing(table_with({1: {ANNA: 3, BEN: 2}}, players=2)) == [BEN]
    assert owing(table_with({1: {ANNA: 3, BEN: 2, GREY: 1}}, players=2)) == [BEN]


def test_a_closed_casino_is_judged_like_any_other() -> None:
    """T7."""
    assert owing(apply_events(table_with({1: {ANNA: 1, BEN: 1}}), CasinoClosed(1))) == [CARLA]


def test_the_debt_is_paid_when_all_casinos_are() -> None:
    """D8: what this payout brought may go straight back."""
    state = tile_table("C2", dice={1: {ANNA: 1, BEN: 1}, 6: {CARLA: 1}}, notes={6: (40_000, 100_000)})
    state = with_chips(with_bank(state, 50_000), CARLA, 0)
    table = pay_out(state)
    assert table.state.notes_of(CARLA) == (50_000,)
    moves = [
        event
        for event in table.events
        if isinstance(event, NotesMoved) and PURSE[CARLA] in (event.source, event.target)
    ]
    assert [(move.source, move.target) for move in moves] == [
        ("casino-6", PURSE[CARLA]),
        (PURSE[CARLA], BANK),
        (BANK, PURSE[CARLA]),
    ]


def test_who_has_too_little_gives_everything() -> None:
    """000 BAD LUCK (M6): chips too, at $10,000 each."""
    state = with_bank(tile_table("C2", dice={1: {ANNA: 1, BEN: 1}}))
    state = with_chips(with_purse(state, CARLA, 30_000), CARLA, 1)
    after_it = pay_out(state).state
    assert after_it.notes_of(CARLA) == ()
    assert after_it.chips_of(CARLA) == 2


def test_who_has_nothing_pays_nothing() -> None:
    """000 BAD LUCK."""
    state = with_chips(tile_table("C2", dice={1: {ANNA: 1, BEN: 1}}), CARLA, 0)
    assert gains(state, pay_out(state).state, CARLA) == ((), 2)


def test_the_bank_gives_change_in_notes_only() -> None:
    """000 BAD LUCK (M6): without a fitting note in the bank the rest is lost, chips are no change."""
    state = tile_table("C2", dice={1: {ANNA: 1, BEN: 1}})
    rich = with_chips(with_purse(state, CARLA, 90_000), CARLA, 0)
    assert pay_out(with_bank(rich, 40_000)).state.notes_of(CARLA) == (40_000,)
    broke = pay_out(with_bank(rich, 80_000)).state
    assert (broke.notes_of(CARLA), broke.chips_of(CARLA)) == ((), 2)


def test_chips_are_spared_where_notes_pay_as_cheaply() -> None:
    """M6."""
    state = with_purse(with_bank(tile_table("C2", dice={1: {ANNA: 1, BEN: 1}})), CARLA, 50_000)
    after_it = pay_out(with_chips(state, CARLA, 5)).state
    assert (after_it.notes_of(CARLA), after_it.chips_of(CARLA)) == ((), 5 + 2)


def debtors(starter: int) -> Table:
    """Anna has one large note and Ben a fitting one; the bank is empty."""
    state = with_bank(tile_table("C2", dice={1: {CARLA: 1}}))
    state = with_purse(with_purse(state, ANNA, 100_000), BEN, 50_000)
    for seat in (ANNA, BEN):
        state = with_chips(state, seat, 0)
    return pay_out(apply_events(state, RoundStarted(1, starter)))


def test_the_starter_pays_first_and_the_bank_changes_with_it() -> None:
    """T12: Ben's note is Anna's change if he comes first."""
    assert debtors(BEN).state.notes_of(ANNA) == (50_000,)
    assert debtors(ANNA).state.notes_of(ANNA) == ()


def test_after_the_starter_it_goes_clockwise() -> None:
    """T12: with Carla as the starter Anna's turn comes before Ben's."""
    assert debtors(CARLA).state.notes_of(ANNA) == ()


def test_the_table_shows_who_would_pay() -> None:
    """000 BAD LUCK."""
    assert BAD_LUCK.shows(table_with({1: {ANNA: 1}})) == {"fewest": [BEN, CARLA]}


def test_during_the_payout_it_shows_who_will_pay() -> None:
    """D8: BLACK BOX asks when the tied dice have left already."""
    state = pay_out(tile_table("C2", "G1", dice={1: {ANNA: 2, BEN: 2, CARLA: 1}, 2: {BEN: 1}})).state
    assert state.ask is not None
    assert state.ask.prompt == "G1.part"
    assert BAD_LUCK.shows(state) == {"fewest": [CARLA]}


def test_nothing_is_left_of_it_in_the_next_round() -> None:
    """T2."""
    state = pay_out(table_with({1: {ANNA: 1}})).state
    assert state.round == 2
    assert not state.counters


def test_the_last_debt_is_paid_before_the_winners_are_named() -> None:
    """D8."""
    state = pay_out(apply_events(table_with({1: {ANNA: 1, BEN: 1}}), RoundStarted(3, ANNA))).state
    assert state.status == "over"
    assert state.winners == (ANNA, BEN)


def test_placing_dice_there_does_nothing_yet() -> None:
    """000 BAD LUCK: before the payout only."""
    table = place_number(table_with({}), ANNA, 1, small=2, big=True)
    assert not any(isinstance(event, (CounterMoved, NotesMoved)) for event in table.events)


def test_my_choice_sets_nothing_off() -> None:
    """000 MY CHOICE, result 4 (T8)."""
    state = play(place_number(tile_table("C2", "H2"), ANNA, 2, black=[(4, 4)]).state, ANNA, "use-4")
    after_it = play(state, ANNA, "activate-1")
    assert not after_it.counters
    assert totals(after_it) == totals(state)
