"""What people who come, go and agree make of a state."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from events.seat_types import GameForked, RematchMade, SeatFact, SeatLeft, SeatReturned, SeatTaken, VoidVoted
from rules.evolve_games import planned_seat
from rules.state import Seat, State


def seats_changed(state: State, event: SeatFact) -> State:
    match event:
        case SeatTaken():
            return _seat_taken(state, event)
        case SeatLeft():
            return _seat_left(state, event)
        case SeatReturned(number):
            return _with_seat(state, number, replace(state.seats[number], stand_in=None))
        case VoidVoted(number, agrees):
            others = {seat for seat in state.void if seat != number}
            return replace(state, void=tuple(sorted({*others, number} if agrees else others)))
        case RematchMade(game):
            return replace(state, rematch=game)
        case GameForked():
            return _game_forked(state, event)
        case _:
            assert_never(event)


def _with_seat(state: State, number: int, seat: Seat) -> State:
    return replace(state, seats=(*state.seats[:number], seat, *state.seats[number + 1 :]))


def _seat_taken(state: State, event: SeatTaken) -> State:
    name, player = event.name or event.player, (event.player, event.name_commitment)
    taken = Seat(name, event.bot or None, event.entropy, *player, sat=state.arrivals + 1)
    return replace(_with_seat(state, event.seat, taken), arrivals=state.arrivals + 1)


def _game_forked(state: State, event: GameForked) -> State:
    """The table stays as it is; whatever was said or left by those who sat there goes with them."""
    seats = tuple(map(planned_seat, event.seats))
    forked = replace(state, game=event.game, origin=event.origin, seats=seats, commitment=event.commitment)
    return replace(forked, visibility=event.visibility, arrivals=0, void=(), rematch_of="")


def _seat_left(state: State, event: SeatLeft) -> State:
    number, seat = event.seat, state.seats[event.seat]
    if state.status == "lobby":
        left = _with_seat(state, number, Seat(None))
    elif event.for_good:
        # What they brought to the dice stays.
        left = _with_seat(state, number, Seat(event.bot, event.bot, seat.entropy, sat=seat.sat))
        left = replace(left, void=tuple(one for one in state.void if one != number))
    else:
        return _with_seat(state, number, replace(seat, stand_in=event.bot))
    return replace(left, departures=state.departures + 1)
