"""Putting notes at the casinos."""

from __future__ import annotations

from collections.abc import Callable

from events.values import CASINO, CASINO_NUMBERS
from rules.table import Table

Stocking = Callable[[Table], None]


def until(amount: int) -> Stocking:
    """Notes are turned over at each casino until they are worth the amount (M1)."""

    def stock(table: Table) -> None:
        for number in CASINO_NUMBERS:
            table.draw_notes(CASINO[number], worth=amount)

    return stock


def each(count: int) -> Stocking:
    """The same number of notes at every casino."""

    def stock(table: Table) -> None:
        for number in CASINO_NUMBERS:
            table.draw_notes(CASINO[number], count=count)

    return stock
