"""Commands about seats: sit, leave, return, start, void, rematch, and closing an abandoned game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct

from events.agenda import Step
from events.commands import Cancel, Choose, Close, Fork, Leave, Rematch, Return, Sit, Start, Void
from events.text import Text
from events.types import GameClosed, GameForked, RematchMade, SeatLeft, SeatReturned, SeatTaken, VoidVoted
from events.values import SeatPlan
from rules.errors import Reason, Rejected
from rules.options import ON_TIMEOUT
from rules.ruleset import Options
from rules.state import State
from rules.table import Table

NOT_FILLED = "not_filled"
ABANDONED = "abandoned"


def check_closing(state: State, reason: str) -> None:
    """Allow closing a table that never filled (W2) or that waits for a person (W3). Raises Rejected."""
    if state.status == "lobby" and reason != NOT_FILLED:
        raise Rejected(
            Reason.NOT_STARTED,
            Text("a game that has not started is closed as {reason}", reason=NOT_FILLED),
            rule="W2",
        )
    if state.status == "playing" and reason != ABANDONED:
        raise Rejected(
            Reason.ALREADY_STARTED, Text("a game in play is closed as {reason}", reason=ABANDONED), rule="W3"
        )
    if state.status == "playing" and not state.people_asked:
        raise Rejected(Reason.NOT_ASKED, "nobody is asked who could have left the game", rule="W3")


CANCELLED = "cancelled"
VOIDED = "voided"
SeatCommand = Sit | Leave | Return | Start | Cancel | Void | Rematch | Fork | Close


def change_seats(table: Table, command: SeatCommand) -> Table:
    """Carry out a command about seats. Raises Rejected."""
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
        raise Rejected(Reason.GAME_OVER, "the game was closed; nobody can take a seat any more")
    _check_lobby(state, Text("no seat is open"))
    if not 0 <= command.seat < len(state.seats):
        raise Rejected(Reason.UNKNOWN_SEAT, Text("there is no seat {seat}", seat=command.seat))
    if state.seats[command.seat].name is not None:
        raise Rejected(Reason.SEAT_TAKEN, Text("seat {seat} is taken", seat=command.seat))
    if command.player and command.player in {seat.player for seat in state.seats}:
        raise Rejected(Reason.ALREADY_SEATED, "this player already has a seat in this game", rule="P8")
    table.record(
        SeatTaken(
            seat=command.seat,
            name=command.name,
            entropy=command.entropy,
            player=command.player,
            name_commitment=command.name_commitment,
        )
    )
    return start_if_full(table)


def _leave(table: Table, command: Leave) -> Table:
    """Open the seat again in the lobby; in play let a bot answer there (W4)."""
    state = table.state
    seat = command.seat
    _check_running(state)
    _check_person(state, seat)
    if state.status == "lobby":
        table.record(SeatLeft(seat))
        return table
    if state.seats[seat].stand_in and not command.for_good:
        raise Rejected(Reason.ALREADY_ANSWERED, Text("a bot already answers for seat {seat}", seat=seat))
    table.record(SeatLeft(seat, command.bot, command.for_good))
    return _void_if_agreed(table)


def _return(table: Table, seat: int) -> Table:
    _check_running(table.state)
    _check_person(table.state, seat)
    if not table.state.seats[seat].stand_in:
        raise Rejected(
            Reason.ALREADY_ANSWERED,
            Text("no bot answers for seat {seat}, so there is nothing to return from", seat=seat),
        )
    table.record(SeatReturned(seat))
    return table


def _start(table: Table, command: Start) -> Table:
    _check_running(table.state)
    _check_lobby(table.state, Text("there is nothing to start"))
    _check_host(table.state, command.seat)
    for number, seat in enumerate(table.state.seats):
        if seat.name is None:
            table.record(SeatTaken(number, command.bot, bot=command.bot))
    return start_if_full(table)


def _cancel(table: Table, seat: int) -> Table:
    _check_running(table.state)
    _check_lobby(table.state, Text("it ends early only by the consent of all people: `POST …/void`"))
    _check_host(table.state, seat)
    return _close(table, CANCELLED)


def _vote(table: Table, command: Void) -> Table:
    """Record a vote; the game is void once all people agree, including those who are away (W7)."""
    state = table.state
    seat = command.seat
    _check_running(state)
    _check_person(state, seat)
    if state.status == "lobby":
        raise Rejected(Reason.NOT_STARTED, "the game is waiting for players; its host may cancel it")
    if (seat in state.void) == command.agrees:
        raise Rejected(Reason.ALREADY_ANSWERED, Text("seat {seat} already voted this way", seat=seat))
    table.record(VoidVoted(seat, command.agrees))
    return _void_if_agreed(table)


def _void_if_agreed(table: Table) -> Table:
    people = {*table.state.people}
    if people and people == {*table.state.void}:
        return _close(table, VOIDED)
    return table


def _rematch(table: Table, command: Rematch) -> Table:
    state = table.state
    if state.status != "over":
        raise Rejected(Reason.NOT_OVER, "the game is not over yet")
    _check_person(state, command.seat)
    if not state.round:
        raise Rejected(Reason.NOT_STARTED, "the game never started, so there is no rematch")
    if state.rematch:
        raise Rejected(
            Reason.ALREADY_ANSWERED, Text("the game already has a rematch, {rematch}", rematch=state.rematch)
        )
    table.record(RematchMade(command.game))
    return table


def check_players(seats: Sequence[SeatPlan]) -> None:
    players = [plan.player for plan in seats if plan.player]
    if len(players) != len({*players}):
        raise Rejected(Reason.BAD_SEATS, "a player can have only one seat in a game", "/seats", rule="P8")


def _check_all_seated(state: State, seats: Sequence[SeatPlan]) -> None:
    if len(seats) != len(state.seats) or any(plan.open for plan in seats):
        detail = Text("the table has {count} seats, and none of them may be open", count=len(state.seats))
        raise Rejected(Reason.BAD_SEATS, detail, "/seats", rule="W12")
    check_players(seats)


def _fork(table: Table, command: Fork) -> Table:
    """Fork a table in play, with a player on every seat: seats cannot be taken later (W12)."""
    state = table.state
    _check_running(state)
    if state.status == "lobby":
        raise Rejected(Reason.NOT_STARTED, "the game had not started at that version", rule="W12")
    _check_all_seated(state, command.seats)
    if command.same_dice:
        _check_same_dice(state, command)
    table.record(
        GameForked(
            game=command.game,
            origin=command.origin,
            seats=command.seats,
            commitment=command.commitment,
            seed=table.chance.seed(),
            visibility=command.visibility,
            same_dice=command.same_dice,
        )
    )
    return table


def _check_same_dice(state: State, command: Fork) -> None:
    """Refuse what would change the dice of a fork that is to have those of its origin. Raises Rejected."""
    if command.commitment != state.commitment:
        detail = "a fork with the same dice commits to the same seed"
        raise Rejected(Reason.BAD_SEATS, detail, rule="W12")
    for seat, plan in enumerate(command.seats):
        if plan.entropy:
            detail = Text("`seats[{seat}].entropy` must be left out: it would change the dice", seat=seat)
            raise Rejected(Reason.BAD_SEATS, detail, f"/seats/{seat}/entropy", rule="W12")


def _close(table: Table, reason: str) -> Table:
    table.record(GameClosed(reason, table.chance.seed()))
    return table


def _check_running(state: State) -> None:
    if state.status == "over":
        raise Rejected(Reason.GAME_OVER, "the game is over")


def _check_lobby(state: State, consequence: str) -> None:
    if state.status != "lobby":
        raise Rejected(
            Reason.ALREADY_STARTED,
            Text("the game has already started; {consequence}", consequence=consequence),
        )


def _check_person(state: State, seat: int) -> None:
    if seat not in state.people:
        raise Rejected(Reason.UNKNOWN_SEAT, Text("nobody sits in seat {seat}", seat=seat))


def _check_host(state: State, seat: int) -> None:
    """Allow only the host, the person who has been at the table longest (W5). Raises Rejected."""
    if seat != state.host:
        raise Rejected(
            Reason.NOT_HOST,
            Text("only the host, in seat {host}, can do this", host=str(state.host)),
            rule="W5",
        )


# Why a bot answers in a person's place.
TIMEOUT = "timeout"
AWAY = "away"
# The bot that answers for a person who leaves, where the game does not name one (W4).
USUAL_STAND_IN = "greedy"
_POLICY = re.compile(r"(takeover:)?(.+)")


class TimeoutPolicy(Struct, frozen=True):
    """Which bot answers when a person's time is over, and whether it goes on until they come back (W9)."""

    bot: str
    takes_over: bool


def timeout_policy(options: Options) -> TimeoutPolicy:
    """Parse the option `on_timeout`, such as `greedy` or `takeover:greedy`."""
    match = _POLICY.fullmatch(str(ON_TIMEOUT.value_in(options)))
    if match is None:
        return TimeoutPolicy("random", takes_over=False)
    return TimeoutPolicy(bot=match[2], takes_over=bool(match[1]))


def stand_in(state: State) -> str:
    """The bot that answers for a person who leaves: the one that the game names, else the usual one (W4)."""
    if ON_TIMEOUT.value_in(state.options) == ON_TIMEOUT.default:
        return USUAL_STAND_IN
    return timeout_policy(state.options).bot


def seat_policy(state: State, seat: int) -> TimeoutPolicy:
    """The policy for one seat: that of the game, but an external program has its own fallback (W13)."""
    fallback = state.seats[seat].fallback
    return TimeoutPolicy(fallback, False) if fallback else timeout_policy(state.options)


def record_attendance(table: Table, command: Choose) -> None:
    """Record that a person returns, or that a bot takes over, with this answer.

    Raises Rejected for a bot that may not answer for this seat.
    """
    seat = command.seat
    away = table.state.seats[command.seat].stand_in
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
        raise Rejected(
            Reason.NOT_ASKED,
            Text("{bot} does not answer for seat {seat}", bot=command.bot, seat=command.seat),
            rule="W9",
        )
