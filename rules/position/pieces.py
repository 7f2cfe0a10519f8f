"""Dice, notes, chips and chip cards of a described table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from events.text import Text
from events.values import (
    BANDIT,
    BANDIT_STACK,
    BANK,
    BLACK,
    BOX,
    CASINO,
    GREY,
    LENT,
    NEUTRAL,
    OWNER,
    PILE,
    PURSE,
    SUPPLY,
    UNDER,
    Dice,
    Owner,
    Place,
)
from rules.evolve import add_dice, remove_dice
from rules.position.model import Position, PositionCasino, PositionFault, PositionLot
from rules.restore import has_removed_ties
from rules.state import NOTHING, Heap, State

EXTRA_CASINO = "bandit"
# Dice are counted in one number: each big die adds this many.
BIG = 1_000


def lay_dice(position: Position, new_game: State) -> dict[Place, Heap]:
    """Lay dice at casinos and in hands; dice on tiles are restored by the tiles."""
    laid: dict[Place, Heap] = {
        place: heap
        for place, heap in new_game.dice.items()
        if place not in (*CASINO, *SUPPLY[: len(position.seats)], *BANDIT_STACK)
    }
    lots = [(_place(casino, lot), lot) for casino in position.casinos for lot in casino.dice]
    for place, lot in lots:
        if lot.small or lot.big:
            laid[place] = add_dice(laid.get(place, NOTHING), lot.owner, lot.small, big=lot.big)
    if not new_game.outfit:
        # A card game has no dice in hand.
        return laid
    return laid | {SUPPLY[number]: _supply(position, number) for number in range(len(position.seats))}


def _place(casino: PositionCasino, lot: PositionLot) -> Place:
    return BANDIT_STACK[lot.face or 0] if casino.number == EXTRA_CASINO else CASINO[int(casino.number)]


def _supply(position: Position, number: int) -> Heap:
    seat = position.seats[number]
    own = Dice(seat.dice - seat.big, int(seat.big))
    heap = {OWNER[number]: own} if own.count else {}
    return {**heap, NEUTRAL: Dice(seat.neutral_dice, 0)} if seat.neutral_dice else heap


def return_and_lend_dice(state: State, new_game: State) -> State:
    """After ties have left, put missing dice of imaginary players in the box and mark lent dice as lent."""
    if not has_removed_ties(state):
        return state
    given = _count(new_game)
    found = _count(state)
    for owner in (NEUTRAL, GREY):
        state = _put_away(state, owner, given[owner] - found[owner])
    for seat in range(len(state.seats)):
        state = _lend(state, seat, found[OWNER[seat]] - given[OWNER[seat]])
    return state


def _put_away(state: State, owner: Owner, count: int) -> State:
    big, small = divmod(count, BIG)
    if count <= 0:
        return state
    return replace(state, dice={**state.dice, BOX: add_dice(state.heap(BOX), owner, small, big=big)})


def _lend(state: State, seat: int, count: int) -> State:
    """Turn `count` small dice of the seat at casinos into lent black ones; which ones makes no difference."""
    for place in CASINO:
        there = min(count, state.dice_of(OWNER[seat], place).small, state.dice_of(BLACK, BOX).small)
        if there > 0:
            left = add_dice(
                remove_dice(state.heap(place), OWNER[seat], there, big=0), LENT[seat], there, big=0
            )
            box = remove_dice(state.heap(BOX), BLACK, there, big=0)
            state = replace(state, dice={**state.dice, place: left, BOX: box})
            count = count - there
    return state


def find_dice_faults(built: State, new_game: State) -> Iterator[PositionFault]:
    """Find owners that do not have all dice that the game gave them, in hand or on the table."""
    if new_game.decks:
        # Cards lie at casinos like dice, and `find_card_faults` counts them.
        return
    given = _count(new_game)
    found = _count(built)
    for owner in sorted({*given, *found}):
        if given[owner] != found[owner]:
            own = _in_words(given[owner])
            here = _in_words(found[owner])
            where = f"/seats/{OWNER.index(owner)}" if owner in OWNER else "/casinos"
            said = Text(
                "{owner} has {own} in the game, and in hand, at casinos and on tiles are {here}",
                owner=owner,
                own=own,
                here=here,
            )
            yield PositionFault(where, said)


def _count(state: State) -> Counter[Owner]:
    counts = Counter[Owner]()
    for heap in state.dice.values():
        for owner, dice in heap.items():
            counts[BLACK if owner in LENT else owner] += dice.small + BIG * dice.big
    return counts


def _in_words(count: int) -> str:
    big, small = divmod(count, BIG)
    return (
        Text("{small} small dice and {big} big", small=small, big=big)
        if big
        else Text("{small} small dice", small=small)
    )


def lay_notes(position: Position, new_game: State) -> dict[Place, tuple[int, ...]]:
    """Lay out all notes of the game; notes that are not described go to hidden purses, bank, box and pile.

    A bank that is not described is as large as at the start. A hidden purse gets low and high notes alike.
    """
    laid = {stock_of(casino): casino.notes for casino in position.casinos}
    purses = {PURSE[number]: seat.notes for number, seat in enumerate(position.seats) if seat.notes}
    notes = {**laid, **purses, UNDER: position.under}
    every = Counter(note for place in new_game.notes.values() for note in place)
    rest = every - Counter(_join([*notes.values(), position.bank or ()]))
    for place, count in _hidden_purses(position):
        notes[place] = _spread(rest, count)
        rest -= Counter(notes[place])
    if position.bank is not None:
        return {PILE: _sorted(rest), **notes, BANK: position.bank}
    # Of the rest, the notes that are not in the pile are in the bank, or out of the game in the box.
    if BANK in new_game.notes:
        place = BANK
        in_pile = rest.total() - len(new_game.notes[BANK])
    else:
        place = BOX
        in_pile = rest.total() if position.pile is None else position.pile
    gone = _spread(rest, max(0, rest.total() - in_pile))
    if gone:
        notes[place] = gone
    return {PILE: _sorted(rest - Counter(gone)), **notes}


def _hidden_purses(position: Position) -> Iterator[tuple[Place, int]]:
    for number, seat in enumerate(position.seats):
        if seat.notes is None and seat.note_count:
            yield PURSE[number], seat.note_count


def _sorted(notes: Counter[int]) -> tuple[int, ...]:
    return tuple(sorted(notes.elements()))


def stock_of(casino: PositionCasino) -> Place:
    return BANDIT if casino.number == EXTRA_CASINO else CASINO[int(casino.number)]


def _spread(notes: Counter[int], count: int) -> tuple[int, ...]:
    """Pick `count` notes evenly from low to high."""
    every = _sorted(notes)
    most = min(count, len(every))
    return tuple(every[place * len(every) // most] for place in range(most))


def _join(parts: Iterable[Iterable[Any]]) -> Iterator[Any]:
    return (thing for part in parts for thing in part)


def lay_chips(position: Position, new_game: State) -> dict[Place, int]:
    if not new_game.chips:
        return new_game.chips
    purses = {PURSE[number]: seat.chips for number, seat in enumerate(position.seats)}
    return {BANK: sum(new_game.chips.values()) - sum(purses.values()), **purses}


def lay_chip_cards(position: Position, new_game: State) -> dict[Place, tuple[str, ...]]:
    if not new_game.chip_cards:
        return new_game.chip_cards
    laid = {stock_of(casino): casino.chip_cards for casino in position.casinos}
    taken = {PURSE[number]: seat.chip_cards for number, seat in enumerate(position.seats) if seat.chip_cards}
    every = Counter(_join(new_game.chip_cards.values()))
    rest = every - Counter(_join([*laid.values(), *taken.values()]))
    return {PILE: tuple(sorted(rest.elements())), **laid, **taken}
