"""Builds a state from a described table, or reports every fault in it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from events.commands import Create
from events.types import OptionValue
from events.values import SeatPlan
from rules.chance import Chance
from rules.decide import find_plan_faults, run_command
from rules.editions import EDITIONS
from rules.options import complete_options
from rules.position.asks import find_ask_faults, name_prompt, put_ask, put_below
from rules.position.cards import count_turn, find_card_faults, hide_glasses, hide_hands
from rules.position.checks import find_faults, find_stock_faults, find_sum_faults, find_total_faults
from rules.position.model import InvalidTable, Position, TableFault
from rules.position.pieces import (
    find_dice_faults,
    lay_chip_cards,
    lay_chips,
    lay_dice,
    lay_notes,
    settle_dice,
)
from rules.position.tiles import find_tile_faults, restore_tiles
from rules.ruleset import Ruleset
from rules.state import EMPTY, Roll, State

_COMMITMENT = "00" * 32


def read_table(table: Position, seat: int, chance: Chance) -> State:
    """The game in which this seat is asked what to do. Raises BadTable with every fault that is found."""
    plan = find_plan_faults(table.edition, len(table.seats), table.options)
    faults = [TableFault(fault.where or "", fault.detail) for fault in plan]
    if table.edition not in EDITIONS.newest:
        raise InvalidTable(faults)
    ruleset = EDITIONS.newest[table.edition]
    faults += [*find_tile_faults(table, ruleset), *find_faults(table, seat, ruleset)]
    _refuse((*faults, *find_sum_faults(table, ruleset)))
    fresh = _set_up(table, ruleset, chance)
    _refuse((*find_ask_faults(table, seat, fresh), *find_card_faults(table, seat, fresh)))
    return _build(table, seat, ruleset, fresh, chance)


def _refuse(faults: Iterable[TableFault]) -> None:
    found = list(faults)
    if found:
        raise InvalidTable(found)


def _set_up(table: Position, ruleset: Ruleset, chance: Chance) -> State:
    """A new game with the tiles that lie there."""
    seats = tuple(
        SeatPlan(seat.name or f"seat {number}", "random") for number, seat in enumerate(table.seats)
    )
    options = _options(table, ruleset)
    named = {**options, "tile_codes": table.codes} if ruleset.tiles else options
    state = run_command(EMPTY, Create("typed", table.edition, seats, _COMMITMENT, named), chance).state
    return replace(state, options=complete_options(ruleset, len(seats), options))


def _options(table: Position, ruleset: Ruleset) -> dict[str, OptionValue]:
    """There are as many tiles as lie there."""
    return {**table.options, **({"tiles": len(table.codes)} if ruleset.tiles else {})}


def _build(table: Position, seat: int, ruleset: Ruleset, fresh: State, chance: Chance) -> State:
    prompt = name_prompt(table, fresh)
    state = put_below(_lay_out(table, seat, fresh), table, seat, prompt)
    state, faults = restore_tiles(table, state, ruleset)
    state = settle_dice(state, fresh)
    faults += [*find_dice_faults(state, fresh), *find_total_faults(table, state)]
    _refuse((*faults, *find_stock_faults(table, state, ruleset)))
    return put_ask(state, table, seat, prompt, chance)


def _lay_out(table: Position, seat: int, fresh: State) -> State:
    turn = None if fresh.turn is None else seat if table.turn is None else table.turn
    return replace(
        fresh,
        round=table.round,
        starter=table.starter if table.starter is not None else seat,
        turn=turn,
        turns=count_turn(table, seat) if fresh.decks else fresh.turns,
        roll=_roll(table, seat if turn is None else turn),
        dice=lay_dice(table, fresh),
        notes=lay_notes(table, fresh),
        chips=lay_chips(table, fresh),
        chip_cards=lay_chip_cards(table, fresh),
        hands=hide_hands(table, seat, fresh),
        glasses=hide_glasses(table, seat, fresh),
        closed=tuple(sorted(int(casino.number) for casino in table.casinos if casino.closed)),
    )


def _roll(table: Position, turn: int) -> Roll | None:
    roll = table.roll
    if roll is None:
        return None
    who = turn if roll.seat is None else roll.seat
    return Roll(who, tuple(sorted(roll.own)), roll.big, tuple(sorted(roll.neutral)))
