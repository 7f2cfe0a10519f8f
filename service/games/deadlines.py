"""Whose answer is due in a game, and when."""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct

from events.agenda import Ask
from events.commands import Choose
from events.commit import Commit
from events.values import seat_of
from rules import EDITIONS, State
from rules.seats import ABANDONED as ABANDONED
from rules.seats import NOT_FILLED as NOT_FILLED
from service.fairness.clocks import CLOCK, STAND_IN, later
from service.games.snapshots import Snapshot

# A bot whose nudge arrives has answered long before; after this the nudge is taken for lost.
REPAIR = timedelta(seconds=2)
# So long after the end of a game its requests can still be repeated.
REPEATABLE = timedelta(hours=24)


class TimeLimits(Struct, frozen=True):
    """Hours until a lobby that is not full, and a game whose people are silent, is closed; 0 for never."""

    lobby_hours: float = 24
    abandon_hours: float = 168


DEFAULT_TIME_LIMITS = TimeLimits()


def awaited_seats(state: State) -> tuple[int, ...]:
    """The seats that owe an answer; none where only a newer program knows what to do with it."""
    ask: Ask | None = state.ask
    return ask.awaited if ask is not None and state.status == "playing" and EDITIONS.knows(state) else ()


def bots_due(state: State) -> tuple[int, ...]:
    return tuple(seat for seat in awaited_seats(state) if state.seats[seat].acting_bot is not None)


def late_people(snapshot: Snapshot, now: datetime) -> tuple[int, ...]:
    """People who have been asked for longer than the game allows (W1, W10)."""
    known = known_deadline(snapshot)
    if known is None or now < known:
        return ()
    asked = [(seat, snapshot.deadline_of(seat)) for seat in snapshot.people_asked]
    return tuple(seat for seat, deadline in asked if deadline is not None and now >= deadline)


def known_deadline(snapshot: Snapshot) -> datetime | None:
    """When people are answered for, where this program knows how."""
    return snapshot.deadline if EDITIONS.knows(snapshot.state) else None


def closing_time(snapshot: Snapshot, patience: TimeLimits) -> datetime | None:
    """When it is closed if nothing happens before (W2, W3); None if never."""
    if not EDITIONS.knows(snapshot.state):
        return None
    if snapshot.state.status == "lobby":
        return _after(snapshot.created_at, patience.lobby_hours)
    return _after(snapshot.last_human_at, patience.abandon_hours) if snapshot.people_asked else None


def _after(start: str, hours: float) -> datetime | None:
    return later(datetime.fromisoformat(start), timedelta(hours=hours)) if hours else None


def closing_reason(snapshot: Snapshot) -> str:
    return NOT_FILLED if snapshot.state.status == "lobby" else ABANDONED


def next_due(snapshot: Snapshot, patience: TimeLimits, nudged: datetime | None = None) -> datetime | None:
    """When somebody has to look at the game again even if nothing happens; None if never.

    Bots that were `nudged` are given their time from then on, however late that was; people have theirs.
    """
    changed = datetime.fromisoformat(snapshot.changed_at)
    if snapshot.state.status == "over":
        return later(changed, REPEATABLE)
    times = [known_deadline(snapshot), closing_time(snapshot, patience)]
    if bots_due(snapshot.state):
        times.append(later(max(changed, nudged or changed), REPAIR))
    return min((time for time in times if time is not None), default=None)


def name_stand_in(bot: str) -> str:
    """In whose name a bot answers for a person who is away."""
    return STAND_IN + bot


def is_by_worker(commit: Commit, state: State) -> bool:
    """Whoever plays for bots and clock goes on by itself and needs no nudge."""
    if not isinstance(commit.command, Choose):
        return False
    seat = seat_of(commit.by)
    return (
        bool(commit.command.bot)
        or commit.by == CLOCK
        or (seat is not None and state.seats[seat].bot is not None)
    )


def is_by_person(commit: Commit, state: State) -> bool:
    """Somebody at the table, who now looks forward to what the others do."""
    seat = seat_of(commit.by)
    return seat is not None and state.seats[seat].bot is None
