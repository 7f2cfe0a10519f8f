"""From a table that somebody describes to a game that stands so: as far as the seat that is asked can see."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from events.agenda import Ask
from events.commands import Create
from events.types import OptionValue
from events.values import (
    BANDIT,
    BANDIT_STACK,
    BANK,
    BOX,
    CASINO,
    GREY,
    NEUTRAL,
    OWNER,
    PILE,
    PURSE,
    SUPPLY,
    UNDER,
    Dice,
    Place,
    SeatPlan,
)
from rules.chance import Chance
from rules.decide import find_plan_faults, run_command
from rules.editions import EDITIONS
from rules.state import EMPTY, Heap, Roll, State
from rules.typed_cards import hide_glasses, hide_hands
from rules.typed_checks import EXTRA_CASINO, find_card_faults, find_dice_faults, find_faults
from rules.typed_types import BadTable, TableFault, TypedCasino, TypedLot, TypedTable

_COMMITMENT = "00" * 32
NOTHING_TO_CHOOSE = "there is nothing to choose: say what was rolled, or which cards are in hand"


def read_table(table: TypedTable, seat: int, chance: Chance) -> State:
    """The game in which this seat is asked what to do. Raises BadTable with every fault that is found."""
    options = _options(table)
    plan = find_plan_faults(table.edition, len(table.seats), options)
    _refuse(TableFault(fault.where or "", fault.detail) for fault in plan)
    _refuse(find_faults(table, seat, EDITIONS.newest[table.edition]))
    fresh = _set_up(table, options, chance)
    state = _lay_out(table, seat, fresh)
    _refuse((*find_dice_faults(table, fresh, state), *find_card_faults(table, seat, fresh)))
    return _ask(state, seat)


def _refuse(faults: Iterable[TableFault]) -> None:
    found = list(faults)
    if found:
        raise BadTable(found)


def _options(table: TypedTable) -> dict[str, OptionValue]:
    """The tiles that lie there, in their order, are those of the game."""
    codes = tuple(str(casino.tile.get("code")) for casino in table.casinos if casino.tile)
    return {**table.options, **({"tile_codes": codes} if codes else {})}


def _set_up(table: TypedTable, options: dict[str, OptionValue], chance: Chance) -> State:
    seats = tuple(SeatPlan(bot="random") for _ in table.seats)
    create = Create("typed", table.edition, seats, _COMMITMENT, options)
    return run_command(EMPTY, create, chance).state


def _lay_out(table: TypedTable, seat: int, fresh: State) -> State:
    roll = table.roll
    rolled = roll and Roll(seat, tuple(sorted(roll.own)), roll.big, tuple(sorted(roll.neutral)))
    return replace(
        fresh,
        round=table.round,
        starter=table.starter if table.starter is not None else seat,
        turn=None if fresh.turn is None else seat,
        turns=table.turn_number if fresh.hands else fresh.turns,
        roll=rolled,
        dice=_dice(table, fresh),
        notes=_notes(table, fresh),
        chips=_chips(table, fresh),
        chip_cards=_chip_cards(table, fresh),
        hands=hide_hands(table, seat, fresh),
        glasses=hide_glasses(table, seat, fresh),
        closed=tuple(int(casino.number) for casino in table.casinos if casino.closed),
    )


def _ask(state: State, seat: int) -> State:
    """The question of an ordinary turn, put to this seat; where all choose at once, also to the others."""
    *below, first = state.agenda
    if not isinstance(first, Ask):
        raise BadTable([TableFault("", "this table asks nothing")])
    seats = tuple(sorted(state.hands)) if len(first.seats) > 1 else (seat,)
    ask = replace(first, seats=seats, options=(), answers=())
    asking = replace(state, agenda=(*below, ask))
    options = EDITIONS.of(state).prompts[ask.prompt].choices(asking, ask, seat)
    if not options:
        raise BadTable([TableFault("/roll", NOTHING_TO_CHOOSE)])
    return replace(state, agenda=(*below, replace(ask, options=() if first.options == () else options)))


def _dice(table: TypedTable, fresh: State) -> dict[Place, Heap]:
    laid: dict[Place, Heap] = {
        place: heap
        for place, heap in fresh.dice.items()
        if place not in (*CASINO, *SUPPLY[: len(table.seats)], *BANDIT_STACK)
    }
    lots = [(casino, lot) for casino in table.casinos for lot in casino.dice]
    for at, lot in lots:
        place = _place(at, lot)
        laid[place] = {**laid.get(place, {}), lot.owner: Dice(lot.small, lot.big)}
    supplies = range(len(table.seats)) if fresh.outfit else ()
    return _take_from_tiles(laid, fresh) | {SUPPLY[number]: _supply(table, number) for number in supplies}


def _take_from_tiles(laid: dict[Place, Heap], fresh: State) -> dict[Place, Heap]:
    """Grey dice at casinos came from where they lay at first, a whole cluster each."""
    grey = sum(laid[place][GREY].count for place in CASINO if GREY in laid.get(place, {}))
    heaps = [place for place, heap in fresh.dice.items() if GREY in heap and place not in CASINO]
    for count in range(len(heaps) + 1):
        for gone in combinations(heaps, count):
            if sum(fresh.dice[place][GREY].count for place in gone) == grey:
                return laid | {place: {} for place in gone}
    return laid


def _place(casino: TypedCasino, lot: TypedLot) -> Place:
    return BANDIT_STACK[lot.face or 0] if casino.number == EXTRA_CASINO else CASINO[int(casino.number)]


def _supply(table: TypedTable, number: int) -> Heap:
    seat = table.seats[number]
    own = Dice(seat.dice - seat.big, int(seat.big))
    heap = {OWNER[number]: own} if own.count else {}
    return {**heap, NEUTRAL: Dice(seat.neutral_dice, 0)} if seat.neutral_dice else heap


def _notes(table: TypedTable, fresh: State) -> dict[Place, tuple[int, ...]]:
    """What lies nowhere else is in the pile, and where there is a bank, as much of it there as always."""
    laid = {_stock(casino): casino.notes for casino in table.casinos}
    purses = {PURSE[number]: seat.notes for number, seat in enumerate(table.seats) if seat.notes}
    notes = {**laid, **purses, UNDER: table.under}
    every = Counter(note for place in fresh.notes.values() for note in place)
    rest = sorted((every - Counter(_join(notes.values()))).elements())
    if BANK not in fresh.notes:
        gone = _spread(rest, max(0, len(rest) - table.pile)) if table.pile is not None else []
        pile = tuple(sorted((Counter(rest) - Counter(gone)).elements()))
        return {**notes, PILE: pile, **({BOX: tuple(gone)} if gone else {})}
    bank = table.bank if table.bank is not None else _spread(rest, len(fresh.notes[BANK]))
    return {PILE: tuple(sorted((Counter(rest) - Counter(bank)).elements())), **notes, BANK: tuple(bank)}


def _stock(casino: TypedCasino) -> Place:
    return BANDIT if casino.number == EXTRA_CASINO else CASINO[int(casino.number)]


def _spread(notes: list[int], count: int) -> list[int]:
    """Some of them, low and high alike."""
    most = min(count, len(notes))
    return [notes[place * len(notes) // most] for place in range(most)] if most else []


def _join(parts: Iterable[Iterable[Any]]) -> Iterator[Any]:
    return (thing for part in parts for thing in part)


def _chips(table: TypedTable, fresh: State) -> dict[Place, int]:
    if not fresh.chips:
        return fresh.chips
    purses = {PURSE[number]: seat.chips for number, seat in enumerate(table.seats)}
    return {BANK: sum(fresh.chips.values()) - sum(purses.values()), **purses}


def _chip_cards(table: TypedTable, fresh: State) -> dict[Place, tuple[str, ...]]:
    if not fresh.chip_cards:
        return fresh.chip_cards
    laid = {_stock(casino): casino.chip_cards for casino in table.casinos}
    taken = {PURSE[number]: seat.chip_cards for number, seat in enumerate(table.seats) if seat.chip_cards}
    every = Counter(_join(fresh.chip_cards.values()))
    rest = every - Counter(_join([*laid.values(), *taken.values()]))
    return {PILE: tuple(sorted(rest.elements())), **laid, **taken}
