"""Says whose answer is due in a game, and when.

`workers/reconciler.py` finds games with a deadline that has passed, and `workers/turns.py` answers there.
"""

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
from service.steady_clock import HOLD_SECONDS

# A bot answers sooner than this; after this time its game is taken to be lost from the queue.
REPAIR = timedelta(seconds=2)
# How long after the end of a game its requests can be repeated.
REPEATABLE = timedelta(hours=24)


class TimeLimits(Struct, frozen=True):
    """Holds the hours until an incomplete lobby, or a game with silent people, is closed; 0 for never.

    `hold_seconds` is for how long nothing is answered or closed after the clock of the machine was set,
    `player_hours` for how long a player is kept who never played, `archive_hours` when a game that is over
    goes to the archive.
    """

    lobby_hours: float = 24
    abandon_hours: float = 168
    hold_seconds: float = HOLD_SECONDS
    player_hours: float = 720
    archive_hours: float = 168


DEFAULT_TIME_LIMITS = TimeLimits()


def awaited_seats(state: State) -> tuple[int, ...]:
    """Return the seats that owe an answer; none in a game whose rules this program does not know."""
    ask: Ask | None = state.ask
    return ask.awaited if ask is not None and state.status == "playing" and EDITIONS.knows(state) else ()


def bots_due(state: State) -> tuple[int, ...]:
    """Return the seats for which a bot owes an answer.

    In a sandbox game bots wait for the people who are asked with them: answers then come in one order, and
    with the same choices the same events.
    """
    if state.sandbox and state.people_asked:
        return ()
    return tuple(seat for seat in awaited_seats(state) if state.seats[seat].acting_bot is not None)


def late_people(snapshot: Snapshot, now: datetime) -> tuple[int, ...]:
    """Return the seats of people whose time is over (W1, W10)."""
    known = known_deadline(snapshot)
    if known is None or now < known:
        return ()
    asked = [(seat, snapshot.deadline_of(seat)) for seat in snapshot.people_asked]
    return tuple(seat for seat, deadline in asked if deadline is not None and now >= deadline)


def known_deadline(snapshot: Snapshot) -> datetime | None:
    """Return when the service answers for a person; None if never, or if the rules are unknown here."""
    return snapshot.deadline if EDITIONS.knows(snapshot.state) else None


def closing_time(snapshot: Snapshot, limits: TimeLimits) -> datetime | None:
    """Return when the game is closed if nothing happens before (W2, W3); None if never."""
    if not EDITIONS.knows(snapshot.state):
        return None
    if snapshot.state.status == "lobby":
        return _after(snapshot.created_at, limits.lobby_hours)
    return _after(snapshot.last_human_at, limits.abandon_hours) if snapshot.people_asked else None


def _after(start: str, hours: float) -> datetime | None:
    """Return the moment so many hours after the start; None for 0 hours, which means never."""
    return later(datetime.fromisoformat(start), timedelta(hours=hours)) if hours else None


def repeatable_until(snapshot: Snapshot) -> datetime:
    """Return until when the requests of a game that is over can be repeated."""
    return later(datetime.fromisoformat(snapshot.changed_at), REPEATABLE)


def archiving_time(snapshot: Snapshot, limits: TimeLimits) -> datetime | None:
    """Return when a game that is over goes to the archive; None if never."""
    return _after(snapshot.listed_at, limits.archive_hours)


def closing_reason(snapshot: Snapshot) -> str:
    """Return why a game is closed that nothing happens in."""
    return NOT_FILLED if snapshot.state.status == "lobby" else ABANDONED


def next_due(snapshot: Snapshot, limits: TimeLimits, queued_at: datetime | None = None) -> datetime | None:
    """Return when the reconciler has to look at the game again; None if never.

    `queued_at` is when its bots were queued: their time counts from then on.
    """
    changed = datetime.fromisoformat(snapshot.changed_at)
    if snapshot.state.status == "over":
        times = [repeatable_until(snapshot), archiving_time(snapshot, limits)]
        return min(time for time in times if time is not None)
    times = [known_deadline(snapshot), closing_time(snapshot, limits)]
    if bots_due(snapshot.state):
        times.append(later(max(changed, queued_at or changed), REPAIR))
    return min((time for time in times if time is not None), default=None)


def name_stand_in(bot: str) -> str:
    """Return the author that the log names when a bot answers for a person who is away."""
    return STAND_IN + bot


def is_by_worker(commit: Commit, state: State) -> bool:
    """Say whether a worker made the commit: it plays on by itself and need not be called."""
    if not isinstance(commit.command, Choose):
        return False
    seat = seat_of(commit.by)
    return (
        bool(commit.command.bot)
        or commit.by == CLOCK
        or (seat is not None and state.seats[seat].bot is not None)
    )


def is_by_person(commit: Commit, state: State) -> bool:
    """Say whether a person at the table made the commit, and waits for the bots now."""
    seat = seat_of(commit.by)
    return seat is not None and state.seats[seat].bot is None
