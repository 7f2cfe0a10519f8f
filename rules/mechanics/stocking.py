"""Putting notes at the casinos."""

from __future__ import annotations

from collections.abc import Callable

from events.types import NotesMoved
from events.values import CASINO, CASINO_NUMBERS, PILE
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


def ranked_pairs(table: Table) -> None:
    """Six pairs: the larger the sum, then the dearer card, the higher the casino (M3)."""
    number, below = table.pick()
    unseen = list(table.state.unseen)
    pairs = [(unseen.pop(below(len(unseen))), unseen.pop(below(len(unseen)))) for _ in CASINO_NUMBERS]
    pairs.sort(key=lambda pair: (sum(pair), max(pair)), reverse=True)
    for casino, pair in zip(reversed(CASINO_NUMBERS), pairs, strict=True):
        table.record(NotesMoved(PILE, CASINO[casino], pair, number))
