"""The payout of the first Las Vegas, book 001."""

from __future__ import annotations

import pytest

from events.types import DiceReturned, NotesMoved, RoundEnded
from events.values import CASINO, CASINO_NUMBERS, OWNER, PURSE, UNDER, Dice
from rules.mechanics.ranking import ranking
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    EMILY,
    DiceLaid,
    NotesLaid,
    notes_moved_from,
    pay_out,
    table_at,
)


def test_tied_players_take_all_their_dice_back() -> None:
    """001, ties, example 1: Anna 5, Benno and Carla 3 each, Denny 1 at Caesar's Palace."""
    table = pay_out(table_at("classic", 4, dice={2: {ANNA: 5, BEN: 3, CARLA: 3, DENNY: 1}}))
    returned = [event for event in table.events if isinstance(event, DiceReturned)]
    assert returned == [DiceReturned(CASINO[2], (OWNER[BEN], OWNER[CARLA]))]


def test_two_ties_at_one_casino_empty_it() -> None:
    """001, ties, example 2: Anna and Carla 2 each, Benno and Denny 1 each at the Golden Nugget."""
    state = table_at("classic", 4, notes={1: (60_000,)}, dice={1: {ANNA: 2, BEN: 1, CARLA: 2, DENNY: 1}})
    table = pay_out(state)
    assert DiceReturned(CASINO[1], tuple(OWNER[seat] for seat in range(4))) in table.events
    assert notes_moved_from(table, 1) == {UNDER: (60_000,)}


def test_three_with_the_same_number_of_dice_tie_as_well() -> None:
    """001, ties: two or more players."""
    dice: DiceLaid = {3: {ANNA: 2, BEN: 2, CARLA: 2, EMILY: 1}}
    table = pay_out(table_at("classic", 5, notes={3: (50_000, 20_000)}, dice=dice))
    assert DiceReturned(CASINO[3], (OWNER[ANNA], OWNER[BEN], OWNER[CARLA])) in table.events
    assert notes_moved_from(table, 3) == {PURSE[EMILY]: (50_000,), UNDER: (20_000,)}


def test_a_tie_at_one_casino_leaves_the_dice_at_the_others() -> None:
    """001, ties: the affected dice only."""
    dice: DiceLaid = {1: {ANNA: 2, BEN: 2}, 2: {ANNA: 3, BEN: 1}}
    table = pay_out(table_at("classic", 2, notes={1: (90_000,), 2: (80_000, 10_000)}, dice=dice))
    assert [event for event in table.events if isinstance(event, DiceReturned)] == [
        DiceReturned(CASINO[1], (OWNER[ANNA], OWNER[BEN]))
    ]
    assert notes_moved_from(table, 1) == {UNDER: (90_000,)}
    assert notes_moved_from(table, 2) == {PURSE[ANNA]: (80_000,), PURSE[BEN]: (10_000,)}


def test_most_dice_take_the_highest_note_and_what_is_left_goes_below_the_pile() -> None:
    """001, payout, example 1: Anna 80, Denny 30, and 10 to the bottom of the pile."""
    dice: DiceLaid = {2: {ANNA: 5, BEN: 3, CARLA: 3, DENNY: 1}}
    table = pay_out(table_at("classic", 4, notes={2: (10_000, 80_000, 30_000)}, dice=dice))
    assert notes_moved_from(table, 2) == {PURSE[ANNA]: (80_000,), PURSE[DENNY]: (30_000,), UNDER: (10_000,)}


def test_the_only_player_left_takes_one_of_two_equal_notes() -> None:
    """001, payout, example 2: Benno 40, the other 40 to the bottom of the pile."""
    state = table_at("classic", 4, notes={3: (40_000, 40_000)}, dice={3: {BEN: 2, ANNA: 1, CARLA: 1}})
    assert notes_moved_from(pay_out(state), 3) == {PURSE[BEN]: (40_000,), UNDER: (40_000,)}


def test_who_comes_after_the_last_note_gets_nothing() -> None:
    """001, payout, example 3: Carla 70, Benno 20, Denny nothing."""
    dice: DiceLaid = {6: {DENNY: 1, CARLA: 4, BEN: 2}}
    table = pay_out(table_at("classic", 4, notes={6: (70_000, 20_000)}, dice=dice))
    assert notes_moved_from(table, 6) == {PURSE[CARLA]: (70_000,), PURSE[BEN]: (20_000,)}
    assert not table.state.notes_of(DENNY)
    assert table.state.supply_of(DENNY) == Dice(8)


def test_a_third_and_a_fourth_note_go_to_the_third_and_fourth() -> None:
    """001, payout: in order of descending number of dice."""
    dice: DiceLaid = {1: {ANNA: 1, BEN: 2, CARLA: 3, DENNY: 4}}
    notes = (10_000, 10_000, 20_000, 10_000)
    table = pay_out(table_at("classic", 4, notes={1: notes}, dice=dice))
    assert [table.state.notes_of(seat) for seat in (DENNY, CARLA, BEN, ANNA)] == [
        (20_000,),
        (10_000,),
        (10_000,),
        (10_000,),
    ]


def test_one_player_may_win_at_several_casinos() -> None:
    """001, payout: what was won before stays with the player."""
    state = table_at(
        "classic",
        2,
        notes={1: (50_000,), 5: (60_000,)},
        dice={1: {ANNA: 1}, 5: {ANNA: 2}},
        purses={ANNA: (90_000,)},
    )
    assert pay_out(state).state.notes_of(ANNA) == (90_000, 50_000, 60_000)


def test_a_casino_without_dice_pays_nobody() -> None:
    """001, payout."""
    table = pay_out(table_at("classic", 2, notes={4: (30_000, 40_000)}))
    assert notes_moved_from(table, 4) == {UNDER: (40_000, 30_000)}


def test_ties_leave_everywhere_before_the_first_casino_pays_and_the_round_ends_last() -> None:
    """001, payout; D8 as far as there are no tiles: casinos pay from 1 to 6."""
    dice: DiceLaid = {**{number: {ANNA: 1} for number in range(1, 6)}, 6: {ANNA: 2, BEN: 2, CARLA: 1}}
    notes: NotesLaid = dict.fromkeys(CASINO_NUMBERS, (50_000,))
    events = pay_out(table_at("classic", 3, notes=notes, dice=dice)).events
    assert events[:8] == [
        DiceReturned(CASINO[6], (OWNER[ANNA], OWNER[BEN])),
        *(NotesMoved(CASINO[number], PURSE[ANNA], (50_000,)) for number in CASINO_NUMBERS[:5]),
        NotesMoved(CASINO[6], PURSE[CARLA], (50_000,)),
        RoundEnded(1),
    ]


def test_notes_go_below_the_pile_from_casino_1_up_the_dearer_first() -> None:
    """001, payout; M1."""
    state = table_at(
        "classic",
        2,
        notes={1: (20_000, 30_000), 3: (10_000, 40_000, 20_000), 6: (60_000,), UNDER: (90_000,)},
        dice={3: {BEN: 1}},
    )
    below = pay_out(state).state.notes[UNDER]
    assert below == (90_000, 30_000, 20_000, 20_000, 10_000, 60_000)


@pytest.mark.parametrize(
    ("dice", "order"),
    [
        ({ANNA: 1, BEN: 3, CARLA: 2}, (BEN, CARLA, ANNA)),
        ({ANNA: 4, BEN: 4, CARLA: 2}, (CARLA,)),
        ({ANNA: 4, BEN: 4}, ()),
        ({CARLA: 1}, (CARLA,)),
        ({}, ()),
    ],
)
def test_the_order_at_a_casino_leaves_the_tied_out(
    dice: dict[int | str, int], order: tuple[int, ...]
) -> None:
    """001, payout."""
    heap: DiceLaid = {1: dict(dice)}
    state = table_at("classic", 3, dice=heap)
    assert ranking(state, CASINO[1]) == tuple(OWNER[seat] for seat in order)
