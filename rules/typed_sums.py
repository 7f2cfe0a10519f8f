"""What a table that somebody describes tells twice: whatever follows from the rest has to fit it."""

from __future__ import annotations

from collections.abc import Iterator

from events.values import Dice
from rules.restoring import is_paying
from rules.ruleset import Ruleset
from rules.scoring import total
from rules.state import State
from rules.typed_money import stock_of
from rules.typed_types import TableFault, TypedSeat, TypedTable


def find_sum_faults(table: TypedTable, ruleset: Ruleset) -> Iterator[TableFault]:
    """Before anything is built of it."""
    if table.rounds not in (None, ruleset.rounds):
        yield TableFault("/rounds", f"{ruleset.id} has {ruleset.rounds} rounds")
    if table.winners is not None:
        yield TableFault("/winners", "nobody has won yet where something is to be chosen")
    for place, seat in enumerate(table.seats):
        yield from _find_seat_faults(seat, place)
    yield from _find_weight_faults(table)
    yield from _find_early_notes(table)


def _find_seat_faults(seat: TypedSeat, place: int) -> Iterator[TableFault]:
    pointer = f"/seats/{place}"
    if seat.seat not in (None, place):
        yield TableFault(f"{pointer}/seat", f"seats are told in their order, and this is seat {place}")
    if seat.notes is None:
        return
    if seat.note_count not in (None, len(seat.notes)):
        detail = f"here are {len(seat.notes)} notes; of hidden ones `notes` is null"
        yield TableFault(f"{pointer}/note_count", detail)
    if seat.money not in (None, sum(seat.notes)):
        yield TableFault(f"{pointer}/money", f"the notes of this seat sum to {sum(seat.notes)}")


def _find_weight_faults(table: TypedTable) -> Iterator[TableFault]:
    for place, casino in enumerate(table.casinos):
        for at, lot in enumerate(casino.dice):
            weight = Dice(lot.small, lot.big).weight
            if lot.weight not in (None, weight):
                yield TableFault(f"/casinos/{place}/dice/{at}/weight", f"these dice count as {weight}")


def _find_early_notes(table: TypedTable) -> Iterator[TableFault]:
    """Only tiles pay before the casinos do."""
    if table.round > 1 or table.codes:
        return
    for place, seat in enumerate(table.seats):
        if seat.notes or (seat.notes is None and seat.note_count):
            member = "note_count" if seat.notes is None else "notes"
            yield TableFault(f"/seats/{place}/{member}", "nobody has notes before the end of round 1")


def find_total_faults(table: TypedTable, state: State) -> Iterator[TableFault]:
    for place, seat in enumerate(table.seats):
        if seat.notes is not None and seat.total not in (None, total(state, place)):
            detail = f"what this seat has is worth {total(state, place)}"
            yield TableFault(f"/seats/{place}/total", detail)


def find_stock_faults(table: TypedTable, state: State, ruleset: Ruleset) -> Iterator[TableFault]:
    """As long as no casino pays, the notes lie there that were laid out."""
    if is_paying(state):
        return
    left = len(state.unseen) + len(table.under)
    for place, casino in enumerate(table.casinos):
        detail = ruleset.stock_fault(state.notes[stock_of(casino)], left)
        if detail:
            yield TableFault(f"/casinos/{place}/notes", detail)
