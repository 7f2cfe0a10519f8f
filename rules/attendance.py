"""Whoever answers is there; for whom a bot answers is not, or has let their time run out."""

from __future__ import annotations

import re

from msgspec import Struct

from events.commands import Choose
from events.seat_types import SeatLeft, SeatReturned
from rules.options import ON_TIMEOUT
from rules.rejection import Reason, Rejected
from rules.ruleset import Options
from rules.state import State
from rules.table import Table

# Why a bot answers in a person's place.
TIMEOUT = "timeout"
AWAY = "away"
# Who answers for somebody who leaves where the game names nobody (W4).
USUAL_STAND_IN = "greedy"
_POLICY = re.compile(r"(takeover:)?(.+)")


class Policy(Struct, frozen=True):
    """Which bot answers when a person's time is over, and whether it goes on until they come back (W9)."""

    bot: str
    takes_over: bool


def timeout_policy(options: Options) -> Policy:
    found = _POLICY.fullmatch(str(ON_TIMEOUT.value_in(options)))
    return Policy(found[2], bool(found[1])) if found else Policy("random", False)


def stand_in(state: State) -> str:
    """Who answers for somebody who leaves: the bot of the game's policy, if it names one of its own (W4)."""
    named = ON_TIMEOUT.value_in(state.options)
    return USUAL_STAND_IN if named == ON_TIMEOUT.default else timeout_policy(state.options).bot


def seat_policy(state: State, seat: int) -> Policy:
    """A program from elsewhere has its own (W13)."""
    fallback = state.seats[seat].fallback
    return Policy(fallback, False) if fallback else timeout_policy(state.options)


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
