"""Ways to lay notes at the casinos, and checks that a casino has notes as they are laid."""

from __future__ import annotations

from collections.abc import Callable

from events.text import Text
from events.types import NotesMoved
from events.values import CASINO, CASINO_NUMBERS, PILE
from rules.ruleset import Notes
from rules.table import Table

Stocking = Callable[[Table], None]
StockFault = Callable[[Notes, int], str]
PAIR = 2


def until(amount: int) -> Stocking:
    """Lay notes at each casino until they are worth the amount (M1)."""

    def stock(table: Table) -> None:
        for number in CASINO_NUMBERS:
            table.draw_notes(CASINO[number], worth=amount)

    return stock


def each(count: int) -> Stocking:
    """Lay the same number of notes at each casino."""

    def stock(table: Table) -> None:
        for number in CASINO_NUMBERS:
            table.draw_notes(CASINO[number], count=count)

    return stock


def check_worth(amount: int) -> StockFault:
    """Check notes that `until` laid: enough, but not without the last note, unless none are left (M1)."""

    def find_fault(notes: Notes, left: int) -> str:
        worth = sum(notes)
        rule = Text("notes are laid until they are worth {amount}", amount=amount)
        if worth < amount:
            return Text("{rule}, and these sum to {worth}", rule=rule, worth=worth) if left else ""
        return (
            Text("{rule}, and these are more than that takes", rule=rule)
            if worth - max(notes) >= amount
            else ""
        )

    return find_fault


def check_count(count: int) -> StockFault:
    """Check notes that `each` laid: fewer only where none are left."""

    def find_fault(notes: Notes, left: int) -> str:
        fits = len(notes) == count or (len(notes) < count and not left)
        return (
            ""
            if fits
            else Text("{count} notes are laid there, and here are {here}", count=count, here=len(notes))
        )

    return find_fault


def ranked_pairs(table: Table) -> None:
    """Lay a pair at each casino: the larger its sum, then its higher note, the higher the casino (M3)."""
    number, below = table.pick()
    unseen = list(table.state.unseen)
    pairs = [(unseen.pop(below(len(unseen))), unseen.pop(below(len(unseen)))) for _ in CASINO_NUMBERS]
    pairs.sort(key=lambda pair: (sum(pair), max(pair)), reverse=True)
    for casino, pair in zip(reversed(CASINO_NUMBERS), pairs, strict=True):
        table.record(NotesMoved(PILE, CASINO[casino], pair, chance=number))
