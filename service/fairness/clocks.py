"""How much time people have: read from the times in the log, so that anybody can check the clock."""

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
# What lies after it never comes.
_LAST = datetime.max.replace(tzinfo=UTC)


def later(start: datetime, span: timedelta) -> datetime:
    """So long after the start, or never: a stored time may be the last one that a computer can name."""
    return _LAST if span > _LAST - start else start + span


def find_deadline(state: State, asked: str, left: TimeLeft, seat: int) -> datetime | None:
    """When the service answers for this person or program, if nobody does before (W1, W10, W13)."""
    own = state.seats[seat].seconds
    limits = [seconds * 1000 for seconds in (_seconds(state, TURN_SECONDS), own) if seconds]
    limits += [left[seat]] if left else []
    if not limits:
        return None
    return later(datetime.fromisoformat(asked), timedelta(milliseconds=min(limits)))


class Clocks(Struct, frozen=True):
    """What everybody has left; and what was taken off for an ask that is still open from who left it."""

    left: TimeLeft = ()
    taken: Mapping[int, int] = {}


NO_LIMIT = Clocks()


def spend_time(clocks: Clocks, asked: str, before: State, commit: Commit, after: State) -> Clocks:
    """What is left once the commit has led from one state to the other; `asked` is when its ask was put."""
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
    # Who is away has no clock running.
    if before.seats[seat].acting_bot:
        return clocks
    rest = max(0, clocks.left[seat] - spent) + _seconds(after, INCREMENT_SECONDS) * 1000
    return replace(clocks, left=_put(clocks.left, seat, rest))


def _leave(clocks: Clocks, spent: int, seat: int) -> Clocks:
    """Thinking counts, though a bot gives the answer."""
    taken = min(spent, clocks.left[seat])
    left = _put(clocks.left, seat, clocks.left[seat] - taken)
    return Clocks(left, {**clocks.taken, seat: taken})


def _come_back(clocks: Clocks, seat: int) -> Clocks:
    """To an ask that is still open as if they had not left it: what passes until the answer is taken off."""
    left = _put(clocks.left, seat, clocks.left[seat] + clocks.taken.get(seat, 0))
    return Clocks(left, {other: taken for other, taken in clocks.taken.items() if other != seat})


def _put(left: TimeLeft, seat: int, rest: int) -> TimeLeft:
    return (*left[:seat], rest, *left[seat + 1 :])


def check_clock(commit: Commit, state: State, asked: str, left: TimeLeft) -> None:
    """It answers for nobody before their time is over. Raises Broken."""
    if commit.by != CLOCK or not isinstance(commit.command, Choose):
        return
    deadline = find_deadline(state, asked, left, commit.command.seat)
    if deadline is None or datetime.fromisoformat(commit.at) < deadline:
        raise Broken(commit.version, "the clock answered there before the time was over")


def earliest(deadlines: Sequence[datetime | None]) -> datetime | None:
    return min((deadline for deadline in deadlines if deadline is not None), default=None)


def _seconds(state: State, spec: OptionSpec) -> int:
    seconds = spec.value_in(state.options)
    return seconds if isinstance(seconds, int) else 0


def _milliseconds(start: str, end: str) -> int:
    spent = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return spent // timedelta(milliseconds=1)
