"""Computes from the times in the log how much time each seat has, so that anyone can check the clock.

`spend_time` follows the log, `find_deadline` says when a seat's time is over, `check_clock` verifies a
commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from events.chain import Broken
from events.commands import Choose, Leave, Return
from events.commit import Commit
from rules import State
from rules.options import INCREMENT_SECONDS, TOTAL_SECONDS, TURN_SECONDS
from rules.ruleset import OptionSpec

CLOCK = "clock"
STAND_IN = "bot:"
# Milliseconds that each seat has left in all when it is asked; empty where there is no such limit.
TimeLeft = tuple[int, ...]
# Stands for never.
_LAST = datetime.max.replace(tzinfo=UTC)


def later(start: datetime, span: timedelta) -> datetime:
    """Return the moment that lies `span` after the start, or the last one that Python can represent.

    A stored time may be so late that the sum would overflow.
    """
    return _LAST if span > _LAST - start else start + span


def find_deadline(state: State, asked: str, left: TimeLeft, seat: int) -> datetime | None:
    """Return when the service answers for a person or program that does not; None if there is no limit.

    `asked` is when the ask was put, `left` is what each seat has left in all. See W1, W10, W13.
    """
    own = state.seats[seat].seconds
    limits = [seconds * 1000 for seconds in (_seconds(state, TURN_SECONDS), own) if seconds]
    limits += [left[seat]] if left else []
    if not limits:
        return None
    return later(datetime.fromisoformat(asked), timedelta(milliseconds=min(limits)))


class Clocks(Struct, frozen=True):
    """Holds the time that each seat has left, in milliseconds.

    `taken` holds what a seat lost for an ask that it left and that is still open; it is given back on return.
    """

    left: TimeLeft = ()
    taken: Mapping[int, int] = {}


NO_LIMIT = Clocks()


def spend_time(clocks: Clocks, asked: str, before: State, commit: Commit, after: State) -> Clocks:
    """Return the clocks after a commit that led from the state `before` to the state `after`.

    `asked` is when the ask was put that the commit answers.
    """
    total = _seconds(after, TOTAL_SECONDS)
    if not total:
        return clocks
    if before.status == "lobby" or before.game != after.game:
        return Clocks((total * 1000,) * len(after.seats))
    clocks = clocks if before.asked == after.asked else Clocks(clocks.left)
    match commit.command:
        case Choose(seat=seat):
            return _answer(clocks, _milliseconds(asked, commit.at), before, seat, after)
        case Leave(seat=seat) if seat in before.people_asked:
            return _leave(clocks, _milliseconds(asked, commit.at), seat)
        case Return(seat=seat):
            return _come_back(clocks, seat)
        case _:
            return clocks


def _answer(clocks: Clocks, spent: int, before: State, seat: int, after: State) -> Clocks:
    """Return the clocks after a seat answered: less the time spent, plus the increment."""
    # The clock of a seat that a bot plays does not run.
    if before.seats[seat].acting_bot:
        return clocks
    rest = max(0, clocks.left[seat] - spent) + _seconds(after, INCREMENT_SECONDS) * 1000
    return replace(clocks, left=_put(clocks.left, seat, rest))


def _leave(clocks: Clocks, spent: int, seat: int) -> Clocks:
    """Return the clocks after a seat was left to a bot: the time until then is spent."""
    taken = min(spent, clocks.left[seat])
    left = _put(clocks.left, seat, clocks.left[seat] - taken)
    return Clocks(left, {**clocks.taken, seat: taken})


def _come_back(clocks: Clocks, seat: int) -> Clocks:
    """Return the clocks after a player returned to a seat.

    If the ask that they left is still open, its time is given back: the answer will be charged with all of
    it.
    """
    left = _put(clocks.left, seat, clocks.left[seat] + clocks.taken.get(seat, 0))
    return Clocks(left, {other: taken for other, taken in clocks.taken.items() if other != seat})


def _put(left: TimeLeft, seat: int, rest: int) -> TimeLeft:
    """Return the times with that of one seat replaced."""
    return (*left[:seat], rest, *left[seat + 1 :])


def check_clock(commit: Commit, state: State, asked: str, left: TimeLeft) -> None:
    """Raise Broken if the clock answered for a seat in this commit before the seat's time was over."""
    if commit.by != CLOCK or not isinstance(commit.command, Choose):
        return
    deadline = find_deadline(state, asked, left, commit.command.seat)
    if deadline is None or datetime.fromisoformat(commit.at) < deadline:
        raise Broken(commit.version, "the clock answered there before the time was over")


def earliest(deadlines: Sequence[datetime | None]) -> datetime | None:
    """Return the earliest deadline; None if there is none."""
    return min((deadline for deadline in deadlines if deadline is not None), default=None)


def _seconds(state: State, spec: OptionSpec) -> int:
    """Return the value of an option in seconds; 0 if it is not set."""
    seconds = spec.value_in(state.options)
    return seconds if isinstance(seconds, int) else 0


def _milliseconds(start: str, end: str) -> int:
    """Return the milliseconds between two moments."""
    spent = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return spent // timedelta(milliseconds=1)
