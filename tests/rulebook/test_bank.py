"""The bank of Royale: prizes and debts."""

from __future__ import annotations

from collections import Counter

import pytest

from events.values import BANK, PURSE
from rules.editions import EDITIONS
from rules.editions.royale import NOTES
from rules.mechanics.bank import collect, pay
from rules.state import State
from rules.table import Table
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    ScriptedChance,
    notes_moved_from,
    pay_out,
)
from tests.support.royale_positions import tile_table, with_bank, with_chips, with_purse


def prize(state: State, amount: int) -> tuple[tuple[int, ...], int]:
    table = Table(state, EDITIONS.newest["royale"], ScriptedChance())
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
