"""What can be wrong with a table that somebody describes: things that there are not, or not so many of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from events.values import CASINO_NUMBERS, GREY, NEUTRAL, OWNER, Owner, plays_for
from rules.ruleset import Ruleset
from rules.state import State
from rules.typed_types import TableFault, TypedSeat, TypedTable

EXTRA_CASINO = "bandit"


def find_faults(table: TypedTable, seat: int, ruleset: Ruleset) -> Iterator[TableFault]:
    """Before anything is built of it."""
    if not 1 <= table.round <= ruleset.rounds:
        yield TableFault("/round", f"{ruleset.id} has rounds 1 to {ruleset.rounds}")
    if table.starter is not None and not 0 <= table.starter < len(table.seats):
        yield TableFault("/starter", f"there are seats 0 to {len(table.seats) - 1}")
    yield from _find_casino_faults(table)
    yield from _find_owner_faults(table)
    yield from _find_note_faults(table, ruleset)
    if table.roll is not None:
        yield from _find_roll_faults(table, seat)


def _find_casino_faults(table: TypedTable) -> Iterator[TableFault]:
    numbers = [casino.number for casino in table.casinos]
    for number in CASINO_NUMBERS:
        if numbers.count(number) != 1:
            said = "is missing" if number not in numbers else "is there twice"
            yield TableFault("/casinos", f"casino {number} {said}")
    for place, casino in enumerate(table.casinos):
        if casino.number not in (*CASINO_NUMBERS, EXTRA_CASINO):
            yield TableFault(f"/casinos/{place}/number", "a number from 1 to 6 is expected, or bandit")


def _find_owner_faults(table: TypedTable) -> Iterator[TableFault]:
    owners = {*OWNER[: len(table.seats)], NEUTRAL, GREY}
    detail = f"there are {', '.join(sorted(owners))}"
    for place, casino in enumerate(table.casinos):
        for at, lot in enumerate(casino.dice):
            if lot.owner not in owners:
                where = f"/casinos/{place}/dice/{at}/owner"
                yield TableFault(where, f"nobody is called {lot.owner} here; {detail}")


def _find_note_faults(table: TypedTable, ruleset: Ruleset) -> Iterator[TableFault]:
    """Each note that is none of the edition's, and each of which there are too many."""
    known, seen = Counter(ruleset.notes), Counter[int]()
    for pointer, notes in _list_notes(table):
        for place, note in enumerate(notes):
            seen[note] += 1
            if note not in known:
                yield TableFault(f"{pointer}/{place}", f"{ruleset.id} has no note of {note}")
            elif seen[note] == known[note] + 1:
                detail = f"there are only {known[note]} notes of {note} in the game"
                yield TableFault(f"{pointer}/{place}", detail)


def _list_notes(table: TypedTable) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from ((f"/casinos/{place}/notes", casino.notes) for place, casino in enumerate(table.casinos))
    yield from ((f"/seats/{place}/notes", seat.notes) for place, seat in enumerate(table.seats))
    yield "/under", table.under
    yield "/bank", table.bank or ()


def _find_roll_faults(table: TypedTable, seat: int) -> Iterator[TableFault]:
    """All dice in hand are rolled."""
    asked, roll = table.seats[seat], table.roll
    assert roll is not None
    hand = asked.dice - asked.big, asked.neutral_dice
    for name, faces, expected in zip(("own", "neutral"), (roll.own, roll.neutral), hand, strict=True):
        if len(faces) != expected:
            detail = f"seat {seat} has {expected} such dice in hand, and here are {len(faces)}"
            yield TableFault(f"/roll/{name}", detail)
    if (roll.big is not None) != asked.big:
        detail = "is rolled but not in hand" if roll.big is not None else "is in hand but not rolled"
        yield TableFault("/roll/big", f"the big die {detail}")


def find_card_faults(table: TypedTable, seat: int, fresh: State) -> Iterator[TableFault]:
    """The seat's cards are cards of its deck, each as often as there are such."""
    deck = Counter(fresh.decks[seat]) if fresh.decks else Counter[str]()
    for pointer, cards in _list_cards(table.seats[seat]):
        where = f"/seats/{seat}/{pointer}"
        if not isinstance(cards, (list, tuple)):
            yield TableFault(where, "the cards of the seat that is asked are expected")
            continue
        for place, card in enumerate(cards):
            deck[card] -= 1
            if deck[card] < 0:
                yield TableFault(f"{where}/{place}", f"its deck has no such card {card}, or no more")


def _list_cards(seat: TypedSeat) -> Iterator[tuple[str, Any]]:
    yield "hand", seat.hand
    yield from ((f"glass/{turn}", rest) for turn, rest in enumerate(seat.glass))


def find_dice_faults(table: TypedTable, fresh: State, built: State) -> Iterator[TableFault]:
    """Everybody has all dice that the game gave them, in hand or on the table; cards are no dice."""
    given, found = _count(fresh), _count(built)
    if fresh.decks:
        return
    for owner in sorted({*given, *found}):
        if given[owner] != found[owner]:
            own, here = (_in_words(counts[owner]) for counts in (given, found))
            where = f"/seats/{OWNER.index(owner)}" if owner in OWNER else "/casinos"
            yield TableFault(where, f"{owner} has {own} in the game, and in hand and at casinos are {here}")


def _count(state: State) -> Counter[Owner]:
    """A big die is told from small ones by counting a hundred."""
    counts = Counter[Owner]()
    for heap in state.dice.values():
        for owner, dice in heap.items():
            counts[plays_for(owner)] += dice.small + 100 * dice.big
    return counts


def _in_words(count: int) -> str:
    big, small = divmod(count, 100)
    return f"{small} small dice" + (f" and {big} big" if big else "")
