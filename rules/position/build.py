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
from rules.position.model import Position, PositionFault, PositionFaults
from rules.position.pieces import (
    find_dice_faults,
    lay_chip_cards,
    lay_chips,
    lay_dice,
    lay_notes,
    return_and_lend_dice,
)
from rules.position.tiles import find_tile_faults, restore_tiles
from rules.ruleset import Ruleset
from rules.state import EMPTY, Roll, State

# The id of the game that a position is built as; its dice are made with it.
POSITION_ID = "typed"
_COMMITMENT = "00" * 32


def build_state(position: Position, seat: int, chance: Chance) -> State:
    """Build the game in which this seat is asked what to do.

    Raises PositionFaults with every fault that is found.
    """
    plan = find_plan_faults(position.edition, len(position.seats), position.options)
    faults = [PositionFault(fault.where or "", fault.detail) for fault in plan]
    if position.edition not in EDITIONS.newest:
        raise PositionFaults(faults)
    ruleset = EDITIONS.newest[position.edition]
    faults += [*find_tile_faults(position, ruleset), *find_faults(position, seat, ruleset)]
    _refuse((*faults, *find_sum_faults(position, ruleset)))
    new_game = _set_up(position, ruleset, chance)
    _refuse((*find_ask_faults(position, seat, new_game), *find_card_faults(position, seat, new_game)))
    return _build(position, seat, ruleset, new_game, chance)


def _refuse(faults: Iterable[PositionFault]) -> None:
    found = list(faults)
    if found:
        raise PositionFaults(found)


def _set_up(position: Position, ruleset: Ruleset, chance: Chance) -> State:
    """Start a new game with the tiles of the position."""
    seats = tuple(
        SeatPlan(seat.name or f"seat {number}", "random") for number, seat in enumerate(position.seats)
    )
    options = _options(position, ruleset)
    named = {**options, "tile_codes": position.codes} if ruleset.tiles else options
    state = run_command(
        EMPTY, Create(POSITION_ID, position.edition, seats, commitment=_COMMITMENT, options=named), chance
    ).state
    return replace(state, options=complete_options(ruleset, len(seats), options))


def _options(position: Position, ruleset: Ruleset) -> dict[str, OptionValue]:
    """The options, with the number of tiles that the position has."""
    if not ruleset.tiles:
        return dict(position.options)
    return {**position.options, "tiles": len(position.codes)}


def _build(position: Position, seat: int, ruleset: Ruleset, new_game: State, chance: Chance) -> State:
    prompt = name_prompt(position, new_game)
    state = put_below(_lay_out(position, seat, new_game), position, seat, prompt)
    state, faults = restore_tiles(position, state, ruleset)
    state = return_and_lend_dice(state, new_game)
    faults += [*find_dice_faults(state, new_game), *find_total_faults(position, state)]
    _refuse((*faults, *find_stock_faults(position, state, ruleset)))
    return put_ask(state, position, seat, prompt, chance)


def _lay_out(position: Position, seat: int, new_game: State) -> State:
    turn = None
    if new_game.turn is not None:
        turn = seat if position.turn is None else position.turn
    return replace(
        new_game,
        round=position.round,
        starter=position.starter if position.starter is not None else seat,
        turn=turn,
        turns=count_turn(position, seat) if new_game.decks else new_game.turns,
        roll=_roll(position, seat if turn is None else turn),
        dice=lay_dice(position, new_game),
        notes=lay_notes(position, new_game),
        chips=lay_chips(position, new_game),
        chip_cards=lay_chip_cards(position, new_game),
        hands=hide_hands(position, seat, new_game),
        glasses=hide_glasses(position, seat, new_game),
        closed=tuple(sorted(int(casino.number) for casino in position.casinos if casino.closed)),
    )


def _roll(position: Position, turn: int) -> Roll | None:
    roll = position.roll
    if roll is None:
        return None
    who = turn if roll.seat is None else roll.seat
    return Roll(who, tuple(sorted(roll.own)), roll.big, neutral=tuple(sorted(roll.neutral)))
