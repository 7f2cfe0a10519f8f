"""How much time people have: read from the times in the log, so that anybody can check the clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from events.chain import Broken
from events.commands import Choose
from events.commit import Commit
from rules.attendance import AWAY, TIMEOUT
from rules.options import INCREMENT_SECONDS, TOTAL_SECONDS, TURN_SECONDS
from rules.ruleset import OptionSpec
from rules.state import State

CLOCK = "clock"
STAND_IN = "bot:"
# Milliseconds that each seat has left in all when it is asked; empty where there is no such limit.
TimeLeft = tuple[int, ...]
NO_LIMIT: TimeLeft = ()


def find_deadline(state: State, asked: str, left: TimeLeft, seat: int) -> datetime | None:
    """When the service answers for this person or program, if nobody does before (W1, W10, W13)."""
    own = state.seats[seat].seconds
    limits = [seconds * 1000 for seconds in (_seconds(state, TURN_SECONDS), own) if seconds]
    limits += [left[seat]] if left else []
    return datetime.fromisoformat(asked) + timedelta(milliseconds=min(limits)) if limits else None


def spend_time(left: TimeLeft, asked: str, before: State, commit: Commit, after: State) -> TimeLeft:
    """What is left once the commit has led from one state to the other; `asked` is when its ask was put."""
    total = _seconds(after, TOTAL_SECONDS)
    if not total:
        return left
    if before.status == "lobby" or before.game != after.game:
        return (total * 1000,) * len(after.seats)
    answer = commit.command
    # Who is away has no clock running.
    if not isinstance(answer, Choose) or before.seats[answer.seat].acting_bot:
        return left
    rest = max(0, left[answer.seat] - _milliseconds(asked, commit.at))
    rest += _seconds(after, INCREMENT_SECONDS) * 1000
    return (*left[: answer.seat], rest, *left[answer.seat + 1 :])


def check_instead(commit: Commit, state: State, asked: str, left: TimeLeft) -> None:
    """An answer in a person's place says so, and the clock's is not early. Raises Broken."""
    answer = commit.command
    if not isinstance(answer, Choose):
        return
    expected = {TIMEOUT: CLOCK, AWAY: STAND_IN + answer.bot}.get(answer.why, "")
    if (expected or answer.bot or answer.why) and commit.by != expected:
        raise Broken(commit.version, f"a bot answers there, by {commit.by}, without a right to")
    deadline = find_deadline(state, asked, left, answer.seat) if commit.by == CLOCK else None
    if commit.by == CLOCK and (deadline is None or datetime.fromisoformat(commit.at) < deadline):
        raise Broken(commit.version, "the clock answered there before the time was over")


def earliest(deadlines: Sequence[datetime | None]) -> datetime | None:
    return min((deadline for deadline in deadlines if deadline is not None), default=None)


def _seconds(state: State, spec: OptionSpec) -> int:
    seconds = spec.value_in(state.options)
    return seconds if isinstance(seconds, int) else 0


def _milliseconds(start: str, end: str) -> int:
    spent = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return spent // timedelta(milliseconds=1)
