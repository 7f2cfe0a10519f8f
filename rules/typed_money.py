"""Notes, chips and chip cards at a table that somebody describes; what lies nowhere is still in the pile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from events.values import BANDIT, BANK, BOX, CASINO, PILE, PURSE, UNDER, Place
from rules.state import State
from rules.typed_dice import EXTRA_CASINO
from rules.typed_types import TypedCasino, TypedTable


def lay_notes(table: TypedTable, fresh: State) -> dict[Place, tuple[int, ...]]:
    """Where there is a bank, as much of it there as always; of hidden notes somebody has some of each."""
    laid = {stock_of(casino): casino.notes for casino in table.casinos}
    purses = {PURSE[number]: seat.notes for number, seat in enumerate(table.seats) if seat.notes}
    notes = {**laid, **purses, UNDER: table.under}
    every = Counter(note for place in fresh.notes.values() for note in place)
    rest = every - Counter(_join([*notes.values(), table.bank or ()]))
    for place, count in _hidden_purses(table):
        notes[place] = _spread(rest, count)
        rest -= Counter(notes[place])
    if table.bank is not None:
        return {PILE: _sorted(rest), **notes, BANK: table.bank}
    place, count = BOX, rest.total() if table.pile is None else table.pile
    if BANK in fresh.notes:
        place, count = BANK, rest.total() - len(fresh.notes[BANK])
    gone = _spread(rest, max(0, rest.total() - count))
    return {PILE: _sorted(rest - Counter(gone)), **notes, **({place: gone} if gone else {})}


def _hidden_purses(table: TypedTable) -> Iterator[tuple[Place, int]]:
    for number, seat in enumerate(table.seats):
        if seat.notes is None and seat.note_count:
            yield PURSE[number], seat.note_count


def _sorted(notes: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(notes.elements()))


def stock_of(casino: TypedCasino) -> Place:
    return BANDIT if casino.number == EXTRA_CASINO else CASINO[int(casino.number)]


def _spread(notes: Counter[int], count: int) -> tuple[int, ...]:
    """Some of them, low and high alike."""
    every = _sorted(notes)
    most = min(count, len(every))
    return tuple(every[place * len(every) // most] for place in range(most))


def _join(parts: Iterable[Iterable[Any]]) -> Iterator[Any]:
    return (thing for part in parts for thing in part)


def lay_chips(table: TypedTable, fresh: State) -> dict[Place, int]:
    if not fresh.chips:
        return fresh.chips
    purses = {PURSE[number]: seat.chips for number, seat in enumerate(table.seats)}
    return {BANK: sum(fresh.chips.values()) - sum(purses.values()), **purses}


def lay_chip_cards(table: TypedTable, fresh: State) -> dict[Place, tuple[str, ...]]:
    if not fresh.chip_cards:
        return fresh.chip_cards
    laid = {stock_of(casino): casino.chip_cards for casino in table.casinos}
    taken = {PURSE[number]: seat.chip_cards for number, seat in enumerate(table.seats) if seat.chip_cards}
    every = Counter(_join(fresh.chip_cards.values()))
    rest = every - Counter(_join([*laid.values(), *taken.values()]))
    return {PILE: tuple(sorted(rest.elements())), **laid, **taken}
