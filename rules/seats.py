"""Commands about seats: sit, leave, return, start, void, rematch, and closing an abandoned game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct

from events.agenda import Step
from events.commands import Cancel, Choose, Close, Fork, Leave, Rematch, Return, Sit, Start, Void
from events.types import GameClosed, GameForked, RematchMade, SeatLeft, SeatReturned, SeatTaken, VoidVoted
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from rules.options import ON_TIMEOUT
from rules.ruleset import Options
from rules.state import State
from rules.table import Table

NOT_FILLED, ABANDONED = "not_filled", "abandoned"


def check_closing(state: State, reason: str) -> None:
    """A table that never filled (W2), or one that waits for somebody (W3): no other. Raises Rejected."""
    if state.status == "lobby" and reason != NOT_FILLED:
        raise Rejected(
            Reason.NOT_STARTED, f"a game that has not started is closed as {NOT_FILLED}", rule="W2"
        )
    if state.status == "playing" and reason != ABANDONED:
        raise Rejected(Reason.ALREADY_STARTED, f"a game in play is closed as {ABANDONED}", rule="W3")
    if state.status == "playing" and not state.people_asked:
        raise Rejected(Reason.NOT_ASKED, "nobody is asked who could have left the game", rule="W3")


CANCELLED, VOIDED = "cancelled", "voided"
SeatCommand = Sit | Leave | Return | Start | Cancel | Void | Rematch | Fork | Close


def change_seats(table: Table, command: SeatCommand) -> Table:
    """Raises Rejected."""
    match command:
        case Sit():
            return _sit(table, command)
        case Leave():
            return _leave(table, command)
        case Return(seat):
            return _return(table, seat)
        case Start():
            return _start(table, command)
        case Cancel(seat):
            return _cancel(table, seat)
        case Void():
            return _vote(table, command)
        case Rematch():
            return _rematch(table, command)
        case Fork():
            return _fork(table, command)
        case Close(reason):
            _check_running(table.state)
            check_closing(table.state, reason)
            return _close(table, reason)
        case _:
            assert_never(command)


def start_if_full(table: Table) -> Table:
    if all(seat.name is not None for seat in table.state.seats):
        table.push(Step("game"))
        table.run()
    return table


def _sit(table: Table, command: Sit) -> Table:
    state = table.state
    if state.close_reason:
        raise Rejected(Reason.GAME_OVER, "the game was closed, nobody sits down any more")
    _check_lobby(state, "no seat is open")
    if not 0 <= command.seat < len(state.seats):
        raise Rejected(Reason.UNKNOWN_SEAT, f"there is no seat {command.seat}")
    if state.seats[command.seat].name is not None:
        raise Rejected(Reason.SEAT_TAKEN, f"seat {command.seat} is taken")
    if command.player and command.player in {seat.player for seat in state.seats}:
        raise Rejected(Reason.ALREADY_SEATED, "this player sits at the table already", rule="P8")
    player = command.player, command.name_commitment
    table.record(SeatTaken(command.seat, command.name, command.entropy, *player))
    return start_if_full(table)


def _leave(table: Table, command: Leave) -> Table:
    """The seat opens again in the lobby; later a bot answers there (W4)."""
    state, seat = table.state, command.seat
    _check_running(state)
    _check_person(state, seat)
    if state.status == "lobby":
        table.record(SeatLeft(seat))
        return table
    if state.seats[seat].stand_in and not command.for_good:
        raise Rejected(Reason.ALREADY_ANSWERED, f"a bot answers for seat {seat} already")
    table.record(SeatLeft(seat, command.bot, command.for_good))
    return _void_if_agreed(table)


def _return(table: Table, seat: int) -> Table:
    _check_running(table.state)
    _check_person(table.state, seat)
    if not table.state.seats[seat].stand_in:
        raise Rejected(Reason.ALREADY_ANSWERED, f"nobody answers for seat {seat}")
    table.record(SeatReturned(seat))
    return table


def _start(table: Table, command: Start) -> Table:
    _check_running(table.state)
    _check_lobby(table.state, "there is nothing to start")
    _check_host(table.state, command.seat)
    for number, seat in enumerate(table.state.seats):
        if seat.name is None:
            table.record(SeatTaken(number, command.bot, bot=command.bot))
    return start_if_full(table)


def _cancel(table: Table, seat: int) -> Table:
    _check_running(table.state)
    _check_lobby(table.state, "it ends early only by the consent of all people: POST …/void")
    _check_host(table.state, seat)
    return _close(table, CANCELLED)


def _vote(table: Table, command: Void) -> Table:
    """The game is void once all people agree, those who are away included (W7)."""
    state, seat = table.state, command.seat
    _check_running(state)
    _check_person(state, seat)
    if state.status == "lobby":
        raise Rejected(Reason.NOT_STARTED, "the game waits for players; the host may cancel it")
    if (seat in state.void) == command.agrees:
        raise Rejected(Reason.ALREADY_ANSWERED, f"seat {seat} has said so before")
    table.record(VoidVoted(seat, command.agrees))
    return _void_if_agreed(table)


def _void_if_agreed(table: Table) -> Table:
    people = table.state.people
    return _close(table, VOIDED) if people and {*people} == {*table.state.void} else table


def _rematch(table: Table, command: Rematch) -> Table:
    state = table.state
    if state.status != "over":
        raise Rejected(Reason.NOT_OVER, "the game is not over yet")
    _check_person(state, command.seat)
    if not state.round:
        raise Rejected(Reason.NOT_STARTED, "the game never started, so there is nothing to repeat")
    if state.rematch:
        raise Rejected(Reason.ALREADY_ANSWERED, f"its rematch is {state.rematch}")
    table.record(RematchMade(command.game))
    return table


def check_players(seats: Sequence[SeatPlan]) -> None:
    players = [plan.player for plan in seats if plan.player]
    if len(players) != len({*players}):
        raise Rejected(Reason.BAD_SEATS, "a player sits on one seat of a game", "/seats", "P8")


def _check_all_seated(state: State, seats: Sequence[SeatPlan]) -> None:
    if len(seats) != len(state.seats) or any(plan.open for plan in seats):
        detail = f"the table has {len(state.seats)} seats, and none of them may be open"
        raise Rejected(Reason.BAD_SEATS, detail, "/seats", "W12")
    check_players(seats)


def _fork(table: Table, command: Fork) -> Table:
    """From a table in play, with everybody seated: nobody could sit down at it later (W12)."""
    state = table.state
    _check_running(state)
    if state.status == "lobby":
        raise Rejected(Reason.NOT_STARTED, "the game had not started at that version", rule="W12")
    _check_all_seated(state, command.seats)
    told = (command.game, command.origin, command.seats, command.commitment)
    table.record(GameForked(*told, table.chance.seed(), command.visibility))
    return table


def _close(table: Table, reason: str) -> Table:
    table.record(GameClosed(reason, table.chance.seed()))
    return table


def _check_running(state: State) -> None:
    if state.status == "over":
        raise Rejected(Reason.GAME_OVER, "the game is over")


def _check_lobby(state: State, consequence: str) -> None:
    if state.status != "lobby":
        raise Rejected(Reason.ALREADY_STARTED, f"the game has started, {consequence}")


def _check_person(state: State, seat: int) -> None:
    if seat not in state.people:
        raise Rejected(Reason.UNKNOWN_SEAT, f"no person sits on seat {seat}")


def _check_host(state: State, seat: int) -> None:
    """Who has been at the table longest decides what becomes of a lobby (W5)."""
    if seat != state.host:
        raise Rejected(
            Reason.NOT_HOST, f"only the host may do that, who sits on seat {state.host}", rule="W5"
        )


# Why a bot answers in a person's place.
TIMEOUT = "timeout"
AWAY = "away"
# Who answers for somebody who leaves where the game names nobody (W4).
USUAL_STAND_IN = "greedy"
_POLICY = re.compile(r"(takeover:)?(.+)")


class TimeoutPolicy(Struct, frozen=True):
    """Which bot answers when a person's time is over, and whether it goes on until they come back (W9)."""

    bot: str
    takes_over: bool


def timeout_policy(options: Options) -> TimeoutPolicy:
    found = _POLICY.fullmatch(str(ON_TIMEOUT.value_in(options)))
    return TimeoutPolicy(found[2], bool(found[1])) if found else TimeoutPolicy("random", False)


def stand_in(state: State) -> str:
    """Who answers for somebody who leaves: the bot of the game's policy, if it names one of its own (W4)."""
    named = ON_TIMEOUT.value_in(state.options)
    return USUAL_STAND_IN if named == ON_TIMEOUT.default else timeout_policy(state.options).bot


def seat_policy(state: State, seat: int) -> TimeoutPolicy:
    """A program from elsewhere has its own (W13)."""
    fallback = state.seats[seat].fallback
    return TimeoutPolicy(fallback, False) if fallback else timeout_policy(state.options)


def note_attendance(table: Table, command: Choose) -> None:
    """Raises Rejected for a bot that has no business on this seat."""
    seat, away = command.seat, table.state.seats[command.seat].stand_in
    if not command.bot:
        table.record(SeatReturned(seat))
    elif command.why == AWAY:
        _check_bot(command, away)
    else:
        policy = seat_policy(table.state, seat)
        _check_bot(command, None if away else policy.bot)
        if policy.takes_over:
            table.record(SeatLeft(seat, policy.bot))


def _check_bot(command: Choose, expected: str | None) -> None:
    if command.bot != expected:
        raise Rejected(Reason.NOT_ASKED, f"{command.bot} does not answer for seat {command.seat}", rule="W9")
