"""Dice at a table that somebody describes: where they lie, and that none is missing or too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from events.values import (
    BANDIT_STACK,
    BLACK,
    BOX,
    CASINO,
    GREY,
    LENT,
    NEUTRAL,
    OWNER,
    SUPPLY,
    Dice,
    Owner,
    Place,
)
from rules.evolve_dice import add_dice, remove_dice
from rules.restoring import has_removed_ties
from rules.state import NOTHING, Heap, State
from rules.typed_types import TableFault, TypedCasino, TypedLot, TypedTable

EXTRA_CASINO = "bandit"
# A big die is told from small ones by counting so many.
BIG = 1_000


def lay_dice(table: TypedTable, fresh: State) -> dict[Place, Heap]:
    """At casinos and in hands; what lies on tiles, these say."""
    laid: dict[Place, Heap] = {
        place: heap
        for place, heap in fresh.dice.items()
        if place not in (*CASINO, *SUPPLY[: len(table.seats)], *BANDIT_STACK)
    }
    lots = [(_place(casino, lot), lot) for casino in table.casinos for lot in casino.dice]
    for place, lot in lots:
        if lot.small or lot.big:
            laid[place] = add_dice(laid.get(place, NOTHING), lot.owner, lot.small, lot.big)
    supplies = range(len(table.seats)) if fresh.outfit else ()
    return laid | {SUPPLY[number]: _supply(table, number) for number in supplies}


def _place(casino: TypedCasino, lot: TypedLot) -> Place:
    return BANDIT_STACK[lot.face or 0] if casino.number == EXTRA_CASINO else CASINO[int(casino.number)]


def _supply(table: TypedTable, number: int) -> Heap:
    seat = table.seats[number]
    own = Dice(seat.dice - seat.big, int(seat.big))
    heap = {OWNER[number]: own} if own.count else {}
    return {**heap, NEUTRAL: Dice(seat.neutral_dice, 0)} if seat.neutral_dice else heap


def settle_dice(state: State, fresh: State) -> State:
    """When ties have gone, dice of imaginary players may lie in the box, and lent ones count as one's own."""
    if not has_removed_ties(state):
        return state
    given, found = _count(fresh), _count(state)
    for owner in (NEUTRAL, GREY):
        state = _put_away(state, owner, given[owner] - found[owner])
    for seat in range(len(state.seats)):
        state = _lend(state, seat, found[OWNER[seat]] - given[OWNER[seat]])
    return state


def _put_away(state: State, owner: Owner, count: int) -> State:
    big, small = divmod(count, BIG)
    if count <= 0:
        return state
    return replace(state, dice={**state.dice, BOX: add_dice(state.heap(BOX), owner, small, big)})


def _lend(state: State, seat: int, count: int) -> State:
    """So many of the seat's small dice at casinos are black ones; which of them makes no difference."""
    for place in CASINO:
        there = min(count, state.dice_of(OWNER[seat], place).small, state.dice_of(BLACK, BOX).small)
        if there > 0:
            left = add_dice(remove_dice(state.heap(place), OWNER[seat], there, 0), LENT[seat], there, 0)
            box = remove_dice(state.heap(BOX), BLACK, there, 0)
            state, count = replace(state, dice={**state.dice, place: left, BOX: box}), count - there
    return state


def find_dice_faults(built: State, fresh: State) -> Iterator[TableFault]:
    """Everybody has all dice that the game gave them, in hand or on the table; cards are no dice."""
    given, found = _count(fresh), _count(built)
    if fresh.decks:
        return
    for owner in sorted({*given, *found}):
        if given[owner] != found[owner]:
            own, here = (_in_words(counts[owner]) for counts in (given, found))
            where = f"/seats/{OWNER.index(owner)}" if owner in OWNER else "/casinos"
            said = f"{owner} has {own} in the game, and in hand, at casinos and on tiles are {here}"
            yield TableFault(where, said)


def _count(state: State) -> Counter[Owner]:
    counts = Counter[Owner]()
    for heap in state.dice.values():
        for owner, dice in heap.items():
            counts[BLACK if owner in LENT else owner] += dice.small + BIG * dice.big
    return counts


def _in_words(count: int) -> str:
    big, small = divmod(count, BIG)
    return f"{small} small dice" + (f" and {big} big" if big else "")
