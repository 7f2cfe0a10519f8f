"""Rounds: set up the table, choose the starting player, end the game."""

from __future__ import annotations

from events.agenda import Step
from events.types import GameEnded, GameStarted, RoundEnded, RoundStarted, TokenMoved
from events.values import SUPPLY, Owner, seat_of
from rules.options import START_SEAT
from rules.scoring import totals, winners
from rules.state import State
from rules.table import Table

HOW_TO_WIN = "After the last round the most money wins. If several have the same, the number of notes counts."


def start_game(table: Table, step: Step) -> None:
    state = table.state
    rules = table.ruleset
    players = len(state.seats)
    table.record(
        GameStarted(
            rules.notes,
            rules.dice(players, state.options),
            rules.decks(players),
            chip_cards=rules.chip_cards(state.options),
            tiles=rules.tiles_out(rules, state.options),
        )
    )
    table.push(Step("round"))


def start_round(table: Table, step: Step) -> None:
    """Start a round: with the seat that the last round decided, or the first starter (P2)."""
    number = table.state.round + 1
    starter = step.seat
    chance = None
    if starter is None:
        starter, chance = _first_starter(table)
    table.record(RoundStarted(number, starter, chance))
    for set_up in table.ruleset.set_up:
        set_up(table)
    table.push(Step(table.ruleset.turns))


def _first_starter(table: Table) -> tuple[int, int | None]:
    """The seat that the creator named, or one drawn by chance, with the number of the draw."""
    named = START_SEAT.value_in(table.state.options)
    if isinstance(named, int):
        return named, None
    chance, below = table.pick()
    return below(len(table.state.seats)), chance


def end_round(table: Table, step: Step) -> None:
    starter = table.ruleset.next_starter(table.state)
    table.record(RoundEnded(table.state.round))
    if table.state.round < table.ruleset.rounds:
        table.push(Step("round", seat=starter))
    else:
        table.record(GameEnded(winners(table.state), totals(table.state), table.chance.seed()))


def left_of_starter(state: State) -> int:
    return state.left_of(state.starter)


def last_to_roll(state: State) -> int:
    return state.order[-1]


STEPS = {"game": start_game, "round": start_round, "round.end": end_round}


START = "start"


def move_to_winner(table: Table, number: int, order: tuple[Owner, ...]) -> None:
    """Give the start token to the winner of a casino; the winner of the last casino keeps it (P4)."""
    seat = seat_of(order[0]) if order else None
    if seat is not None:
        table.record(TokenMoved(START, SUPPLY[seat]))


def holder(state: State) -> int:
    place = state.tokens.get(START)
    return state.starter if place is None else SUPPLY.index(place)
