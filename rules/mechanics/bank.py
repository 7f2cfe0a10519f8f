"""The bank: prizes paid exactly, debts collected with change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache

from events.values import BANK, PURSE
from rules.scoring import CHIP, total
from rules.shown import Members, Shows
from rules.state import State
from rules.table import Table

Sums = Mapping[int, tuple[int, ...]]
Payment = tuple[int, tuple[int, ...], tuple[int, ...]]


def pay(table: Table, seat: int, amount: int) -> None:
    """The fewest, dearest notes that make the amount; what notes cannot make is chips (M4, M9)."""
    payable = sums(table.state.notes.get(BANK, ()), amount)
    worth = max(payable)
    table.move_notes(BANK, PURSE[seat], *payable[worth])
    if amount > worth:
        table.pay_chips(seat, (amount - worth) // CHIP)


def sums(notes: Sequence[int], most: int) -> Sums:
    """Every sum up to `most`, with the fewest notes that make it; of equals, the dearer ones."""
    return _sums(tuple(sorted(notes, reverse=True)), most)


# A bank changes seldom and is asked often, most of all by those who try moves in their mind.
@lru_cache(maxsize=256)
def _sums(falling: tuple[int, ...], most: int) -> Sums:
    found: dict[int, tuple[int, ...]] = {0: ()}
    for note in falling:
        for worth, made in list(found.items()):
            known, more = found.get(worth + note), (*made, note)
            if worth + note <= most and (known is None or _better(more, known)):
                found[worth + note] = more
    return found


def _better(made: tuple[int, ...], known: tuple[int, ...]) -> bool:
    return len(made) < len(known) or (len(made) == len(known) and made > known)


def collect(table: Table, seat: int, amount: int) -> None:
    """The seat pays at least the amount, or all it has, and gets change in notes (M6)."""
    chips, notes, change = _payment(table, seat, amount)
    table.move_notes(PURSE[seat], BANK, *notes)
    if chips:
        table.take_chips(seat, chips)
    table.move_notes(BANK, PURSE[seat], *change)


def _payment(table: Table, seat: int, amount: int) -> Payment:
    """The cheapest; after that the one with fewer chips, then the one that moves fewer notes."""
    state = table.state
    owned, chips = state.notes_of(seat), state.chips_of(seat)
    over = total(state, seat) - amount
    if over <= 0:
        return chips, owned, ()
    payable = sums(owned, sum(owned))
    changes = sums(state.notes.get(BANK, ()), over)
    steps = sorted(changes)
    offers = [
        (worth + CHIP * paid - given, paid, len(notes) + len(changes[given]), worth, given)
        for paid in range(chips + 1)
        for worth, notes in payable.items()
        if worth + CHIP * paid >= amount
        for given in [steps[bisect_right(steps, worth + CHIP * paid - amount) - 1]]
    ]
    _, paid, _, worth, given = min(offers)
    return paid, payable[worth], changes[given]


def show_notes(state: State) -> Members:
    return {"bank": tuple(sorted(state.notes[BANK], reverse=True))} if BANK in state.notes else {}


SHOWS = Shows(table=show_notes)
