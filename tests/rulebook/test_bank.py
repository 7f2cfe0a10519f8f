"""The bank of Royale: prizes and debts."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.types import ChipsMoved, NotesMoved
from events.values import BANK, PURSE
from rules.editions import EDITIONS
from rules.editions.royale import NOTES
from rules.mechanics.bank import collect, pay, with_change
from rules.state import State
from rules.table import Table
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    ScriptedChance,
    notes_moved_from,
    pay_out,
    tile_table,
    under_release,
    with_bank,
    with_chips,
    with_purse,
)


def prize(state: State, amount: int) -> tuple[tuple[int, ...], int]:
    table = Table(state, EDITIONS.of(state), ScriptedChance())
    pay(table, CARLA, amount)
    return table.state.notes_of(CARLA), table.state.chips_of(CARLA) - state.chips_of(CARLA)


@pytest.mark.parametrize(
    ("bank", "amount", "notes", "chips"),
    [
        ((30_000, 30_000, 60_000), 60_000, (60_000,), 0),
        ((30_000, 70_000, 50_000, 50_000, 40_000, 60_000), 100_000, (70_000, 30_000), 0),
        ((40_000, 30_000, 30_000), 100_000, (40_000, 30_000, 30_000), 0),
        ((80_000, 90_000), 30_000, (), 3),
        ((80_000, 90_000), 100_000, (90_000,), 1),
        ((30_000, 40_000), 20_000, (), 2),
        ((), 60_000, (), 6),
    ],
)
def test_the_bank_pays_exactly(
    bank: tuple[int, ...], amount: int, notes: tuple[int, ...], chips: int
) -> None:
    """M4 and M9: the fewest cards, of equals the dearer; what cards cannot make is chips."""
    assert prize(with_bank(tile_table("D1"), *bank), amount) == (notes, chips)


K = 1_000


@pytest.mark.parametrize(
    ("bank", "purse", "amount", "handed", "given", "chips"),
    [
        # Exact without change, though change would give fewer cards.
        ((40, 40, 90), (10,), 80, (), (40, 40), 0),
        # One card for one.
        ((60, 90), (30, 80), 30, (30,), (60,), 0),
        # Fewer handed over comes before fewer given: one for two, not two for one.
        ((100, 80, 40), (30, 40, 90), 30, (90,), (80, 40), 0),
        # As many handed over, fewer given.
        ((90, 70, 70), (40, 90), 50, (40,), (90,), 0),
        # As many both ways, the dearer cards given.
        ((70, 90, 100), (40, 60, 70), 30, (70,), (100,), 0),
        ((100, 50, 80, 80), (60, 70), 90, (60,), (100, 50), 0),
        # Of equally many worth the same, the dearer cards handed over.
        ((80, 80), (30, 30, 40, 20), 100, (40, 20), (80, 80), 0),
        # What no change makes is chips, and no more than that.
        ((60,), (30, 80), 50, (30,), (60,), 2),
        ((100,), (), 30, (), (), 3),
        ((60, 90), (30, 60), 40, (60,), (90,), 1),
        # By its name a chip is no change for a card.
        ((50,), (30,), 20, (), (), 2),
        ((), (30, 100), 70, (), (), 7),
    ],
)
def test_the_bank_gives_change(
    bank: tuple[int, ...],
    purse: tuple[int, ...],
    amount: int,
    handed: tuple[int, ...],
    given: tuple[int, ...],
    chips: int,
) -> None:
    """M4, release 2: the fewest cards handed over, then the fewest given, of equals the dearer given."""
    found = with_change(tuple(note * K for note in bank), tuple(note * K for note in purse), amount * K)
    assert found == (tuple(note * K for note in handed), tuple(note * K for note in given))
    assert sum(given) - sum(handed) + 10 * chips == amount


def test_the_player_hands_over_first_and_every_note_is_told() -> None:
    """M4: "take that much money", "the bank can give change" (000)."""
    state = with_purse(with_bank(tile_table("D1"), 60_000, 80_000), CARLA, 30_000, 90_000)
    table = Table(state, EDITIONS.of(state), ScriptedChance())
    pay(table, CARLA, 40_000)
    assert table.events == [
        NotesMoved(PURSE[CARLA], BANK, (30_000,)),
        NotesMoved(BANK, PURSE[CARLA], (60_000,)),
        ChipsMoved(BANK, PURSE[CARLA], 1),
    ]


def test_in_release_1_what_the_bank_cannot_make_is_chips() -> None:
    """M4, release 1."""
    state = with_purse(with_bank(tile_table("D1"), 60_000), CARLA, 30_000)
    assert prize(under_release(state, 1), 30_000) == ((30_000,), 3)
    assert prize(under_release(state, 2), 30_000) == ((60_000,), 0)


NOTE = st.sampled_from(sorted(set(NOTES)))


@given(
    st.lists(NOTE, max_size=6), st.lists(NOTE, max_size=5), st.sampled_from(range(30_000, 110_000, 10_000))
)
def test_no_other_change_is_better(bank: list[int], purse: list[int], amount: int) -> None:
    """M4: against all that could be done."""
    ways = [
        (sum(given) - sum(handed), -len(handed), -len(given), given, handed)
        for one in range(len(purse) + 1)
        for handed in combinations(sorted(purse, reverse=True), one)
        for other in range(len(bank) + 1)
        for given in combinations(sorted(bank, reverse=True), other)
        if sum(handed) <= sum(given) <= sum(handed) + amount
    ]
    *_, given, handed = max(ways)
    assert with_change(tuple(bank), tuple(purse), amount) == (handed, given)


def debt(state: State) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """What Ben pays when he owes $50,000: notes, chips, and his change."""
    table = Table(state, EDITIONS.newest["royale"], ScriptedChance())
    collect(table, BEN, 50_000)
    chips = state.chips_of(BEN) - table.state.chips_of(BEN)
    given = notes_moved_from(table, PURSE[BEN]).get(BANK, ())
    return given, chips, notes_moved_from(table, BANK).get(PURSE[BEN], ())


@pytest.mark.parametrize(
    ("owned", "chips", "bank", "paid"),
    [
        ((50_000, 60_000), 4, (30_000,), ((50_000,), 0, ())),
        ((80_000,), 5, (30_000,), ((80_000,), 0, (30_000,))),
        ((80_000,), 5, (40_000,), ((80_000,), 1, (40_000,))),
        ((80_000,), 5, (90_000,), ((), 5, ())),
        ((40_000, 60_000), 1, (100_000,), ((40_000,), 1, ())),
        ((60_000,), 2, (30_000,), ((60_000,), 2, (30_000,))),
        ((60_000,), 0, (30_000,), ((60_000,), 0, ())),
        ((60_000,), 4, (90_000,), ((60_000,), 0, ())),
        ((40_000, 40_000), 0, (30_000,), ((40_000, 40_000), 0, (30_000,))),
        ((30_000,), 1, (), ((30_000,), 1, ())),
        ((), 0, (30_000,), ((), 0, ())),
    ],
)
def test_a_debt_is_paid_as_cheaply_as_change_allows(
    owned: tuple[int, ...],
    chips: int,
    bank: tuple[int, ...],
    paid: tuple[tuple[int, ...], int, tuple[int, ...]],
) -> None:
    """M6: least loss, then fewer chips, then fewer notes; who has less gives everything."""
    state = with_chips(with_purse(with_bank(tile_table("D1"), *bank), BEN, *owned), BEN, chips)
    assert debt(state) == paid


def test_notes_are_neither_made_nor_lost() -> None:
    """M3 and M4: ninety cards, wherever they are."""
    state = pay_out(tile_table("D1", dice={1: {ANNA: 2}})).state
    assert Counter(note for lying in state.notes.values() for note in lying) == Counter(NOTES)
