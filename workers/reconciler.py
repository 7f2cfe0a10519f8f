"""Queues what is due, repairs derived data and counts finished games: the reconciler process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event, Thread
from time import monotonic

from events.archive import FOLDERS, Damaged
from events.redis import translate_redis_errors
from events.store import Unavailable
from rules import EDITIONS
from service import logs
from service.container import Backend, open_backend, read_time_limits
from service.fairness.clocks import CLOCK
from service.games import deadlines
from service.games.snapshots import Snapshot, UnknownGame
from service.incidents import OutageLog, PoisonLog, resolve_cause
from service.lobby.due_index import Taken, milliseconds
from service.lobby.rebuild import Rebuild, adopt_archived
from service.run_folder import beat
from service.stats.ratings import Ratings
from workers import process
from workers.turns import Clock

# How often to look for finished games while none waits to be counted.
COUNTING_PAUSE = 1.0


class Tally:
    """Counts finished games into the statistics and updates ratings."""

    def __init__(self, backend: Backend, clock: Clock, poison: PoisonLog) -> None:
        self._stats = backend.stats
        self._ratings = Ratings(backend.redis)
        self._clock = clock
        self._poison = poison
        self._next = 0.0

    def step(self, now: Callable[[], float] = monotonic) -> None:
        """Count one game and update some ratings. Raises Unavailable."""
        if now() >= self._next:
            counted = self._count()
            rated = self._ratings.catch_up(self._clock().timestamp())
            self._next = 0.0 if counted or rated else now() + COUNTING_PAUSE

    def _count(self) -> bool:
        """Count one game; return False if none waits. A game that cannot be read is logged and left out."""
        game = self._stats.find_waiting()
        if game is None:
            return False
        try:
            self._stats.count(game)
        except Unavailable:
            raise
        except Exception as fault:
            self._poison.record(game, fault)
            self._stats.forget(game)
        return True


# How often to look for due games, unless one is known to be due sooner.
TICK = 0.1
# A rebuild handles so many games between two looks for due ones; each takes some milliseconds.
SLICE = 20
PAUSE = 2.0
# Seats of erased players are usually given up at once; how often to look for the rest.
DEPARTURE_PAUSE = 1.0
# When to try a game again that cannot be read.
FAULTY_TIME = timedelta(minutes=5)
# When to look again at a game in which the clock must not act now, because it was set.
HELD_TIME = timedelta(seconds=5)

log = logs.logger(process="reconciler")


# The cause of an outage of the archive.
AWAY = "archive"
# How many games may wait to be archived; others come back later.
MOST_ARCHIVING = 200
CROWDED_TIME = timedelta(minutes=5)
# When a game is due again that waited in a process that died.
LOST_TIME = timedelta(minutes=2)
ARCHIVING_PAUSE = 0.1
AWAY_PAUSE = 30.0


class Archiving:
    """Moves games to the archive, one at a time, and looks there for games that Redis does not know."""

    def __init__(self, backend: Backend, clock: Clock, poison: PoisonLog) -> None:
        self._backend = backend
        self._clock = clock
        self._poison = poison
        self._waiting: dict[str, datetime] = {}
        self._unadopted: list[int] = []
        self._is_away = False
        self.expect_another_server()

    def add(self, game: str, now: datetime) -> datetime:
        """Let a game wait to be archived, and return when it is due again if it is not archived by then."""
        if game not in self._waiting and len(self._waiting) >= MOST_ARCHIVING:
            return now + CROWDED_TIME
        self._waiting[game] = now + LOST_TIME
        return self._waiting[game]

    def expect_another_server(self) -> None:
        """Look through the archive again: after an outage the server may be an older one."""
        self._unadopted = list(range(FOLDERS))

    def run(self, stopped: Event) -> None:
        """Archive games until `stopped` is set. While the archive is away, games stay where they are."""
        while not stopped.is_set():
            pause = ARCHIVING_PAUSE
            try:
                with translate_redis_errors():
                    pause = 0.0 if self.step() else ARCHIVING_PAUSE
            except Unavailable as fault:
                pause = self._record_outage(fault)
            stopped.wait(pause)

    def _record_outage(self, fault: Unavailable) -> float:
        """Log once that the archive is away, and return the seconds until the next try.

        What the main loop logs of Redis is not logged again.
        """
        if fault.cause != AWAY:
            return PAUSE
        if not self._is_away:
            log.warning(
                "archive_away",
                fault=str(fault),
                meaning="finished games stay in Redis until the archive is back",
                action="look at the archive that ARCHIVE_URL names",
            )
        self._is_away = True
        return AWAY_PAUSE

    def step(self) -> bool:
        """Archive one game, or look through one folder of the archive; return False if nothing waits.

        Raises Unavailable.
        """
        if self._backend.archiver is None:
            return False
        if self._unadopted:
            adopt_archived(self._backend, self._unadopted[-1], self._poison.record)
            self._unadopted.pop()
            return True
        for game, due in [*self._waiting.items()][:1]:
            del self._waiting[game]
            following = self._archive_safely(game)
            self._backend.due.reschedule(game, milliseconds(due), following)
            if self._is_away:
                self._is_away = False
                log.warning("archive_back", meaning="finished games go to the archive again")
            return True
        return False

    def _archive_safely(self, game: str) -> datetime | None:
        """Archive a game, and return when it is due again; if it cannot be archived, it is logged."""
        try:
            return self._archive(game)
        except UnknownGame:
            return None
        except Exception as fault:
            if isinstance(fault, Unavailable) and not isinstance(fault, Damaged):
                raise
            self._poison.record(game, fault)
            return self._clock() + FAULTY_TIME

    def _archive(self, game: str) -> datetime | None:
        """Move a game to the archive, and return when it is due again.

        A game by rules that only a newer program knows is left to that one.
        """
        archiver = self._backend.archiver
        snapshot = self._backend.games.snapshot(game)
        if archiver is None or not EDITIONS.knows(snapshot.state):
            return None
        is_ready = self._backend.store.is_archived(game) or archiver.is_ready(snapshot)
        if not (is_ready and archiver.archive(game)):
            return self._clock() + HELD_TIME
        repeatable = deadlines.repeatable_until(snapshot)
        return repeatable if repeatable > self._clock() else None


class Reconciler:
    """Finds games in which something is due. Any number may run: each leases the games that it takes."""

    def __init__(self, backend: Backend, clock: Clock | None = None, archives_apart: bool = False) -> None:
        """`archives_apart` says that another thread calls `archiving.run`."""
        self._backend = backend
        self._archives_apart = archives_apart
        self._clock: Clock = clock or backend.clock
        self._rebuild = Rebuild(backend)
        self._rebuilding = False
        self._next_departure = 0.0
        self._poison = PoisonLog(log, "reconciler")
        self._tally = Tally(backend, self._clock, self._poison)
        self.archiving = Archiving(backend, self._clock, self._poison)

    def step(self) -> float:
        """Process what is due, and return the seconds until the next step. Raises Unavailable."""
        with translate_redis_errors():
            taken = self._backend.due.take(self._clock())
            for game in taken.games:
                self._process_due(game, taken)
            self._go_on_rebuilding(taken)
            if not self._archives_apart:
                self.archiving.step()
            self._tally.step()
            self._leave_for_erased()
        return 0.0 if self._rebuilding else min(TICK, taken.rest)

    def _leave_for_erased(self, now: Callable[[], float] = monotonic) -> None:
        """Give up some seats of erased players and forget their names, at most once in DEPARTURE_PAUSE."""
        if now() >= self._next_departure:
            self._backend.erasure.tidy_up(self._poison.record)
            self._next_departure = now() + DEPARTURE_PAUSE

    def _go_on_rebuilding(self, taken: Taken) -> None:
        """Rebuild derived data for a few games, so that due games do not wait until all have been read."""
        if taken.is_whole or not self._rebuild.claim():
            self._rebuilding = False
            return
        if not self._rebuilding:
            self._rebuild.begin()
            self._log_rebuild("rebuild_begun")
        self._rebuilding = not self._rebuild.run(SLICE)
        if not self._rebuilding:
            self._report_rebuild()

    def _report_rebuild(self) -> None:
        """Log the games that the rebuild could not read, and that it is done."""
        for game, fault in self._rebuild.faults.items():
            self._poison.record(game, fault)
        self._log_rebuild("rebuild_done")

    def _log_rebuild(self, event: str) -> None:
        """Log the event with the number of games. Without games, as at the first start, log nothing."""
        if self._rebuild.games:
            log.info(event, games=self._rebuild.games)

    def _process_due(self, game: str, taken: Taken) -> None:
        """Process one due game. One that cannot be read is logged, skipped, and tried again after a while."""
        beat()
        try:
            self._handle(game, taken)
        except Unavailable as fault:
            if fault.cause != AWAY:
                raise
            # The archive does not give this game now; the others go on.
            self._backend.due.reschedule(game, taken.lease, self._clock() + FAULTY_TIME)
        except UnknownGame:
            self._backend.due.reschedule(game, taken.lease, None)
        except Exception as fault:
            self._poison.record(game, fault)
            self._backend.due.reschedule(game, taken.lease, self._clock() + FAULTY_TIME)

    def _handle(self, game: str, taken: Taken) -> None:
        """Act on what is due in the game: close it, clean up behind it, or queue it for a worker.

        If nothing is due yet, store when it will be.
        """
        snapshot = self._backend.games.snapshot(game)
        now = self._clock()
        at = deadlines.next_due(snapshot, self._backend.time_limits)
        if at is None or at > now:
            self._backend.due.reschedule(game, taken.lease, at)
        elif self._backend.clock.is_held() and not deadlines.bots_due(snapshot.state):
            self._backend.due.reschedule(game, taken.lease, now + HELD_TIME)
        elif snapshot.state.status == "over":
            self._backend.due.reschedule(game, taken.lease, self._clean_up(game, snapshot, now))
        elif self._is_to_be_closed(snapshot, now):
            self._close(game, snapshot)
        else:
            self._schedule(game, snapshot)

    def _clean_up(self, game: str, snapshot: Snapshot, now: datetime) -> datetime | None:
        """Drop what a finished game needs no more, have it archived, and return when to come back."""
        repeatable = deadlines.repeatable_until(snapshot)
        if repeatable <= now:
            self._backend.games.forget_leftovers(game)
        archived = deadlines.archiving_time(snapshot, self._backend.time_limits)
        if archived is not None and archived <= now:
            return self.archiving.add(game, now)
        return min((at for at in (repeatable, archived) if at is not None and at > now), default=None)

    def _is_to_be_closed(self, snapshot: Snapshot, now: datetime) -> bool:
        """Return whether the game has waited so long that it is closed."""
        if self._backend.clock.is_held():
            return False
        end = deadlines.closing_time(snapshot, self._backend.time_limits)
        return end is not None and now >= end

    def _close(self, game: str, snapshot: Snapshot) -> None:
        """Close the game at this version. If it has gone on meanwhile, the next look decides."""
        reason = deadlines.closing_reason(snapshot)
        if self._backend.games.close(game, reason, CLOCK, snapshot.version):
            log.info("game_closed", game=game, reason=reason)

    def _schedule(self, game: str, snapshot: Snapshot) -> None:
        """Queue the game for a worker. It is due again after the lease, unless an answer was projected."""
        if self._backend.scheduler.schedule(game):
            log.debug("game_nudged", game=game, version=snapshot.version)


def watch(url: str, stopped: Event) -> None:
    """Run the reconciler until `stopped` is set."""
    with open_backend(url, read_time_limits()) as backend:
        reconciler = Reconciler(backend, archives_apart=True)
        # A bucket may take seconds to answer, which no turn may wait for.
        Thread(target=reconciler.archiving.run, args=(stopped,), name="archiving", daemon=True).start()
        outages = OutageLog(log)
        while not stopped.is_set():
            beat()
            stopped.wait(_step_safely(reconciler, outages))


def _step_safely(reconciler: Reconciler, outages: OutageLog) -> float:
    """Run one step and return the seconds until the next; log an outage of Redis and wait PAUSE."""
    try:
        rest = reconciler.step()
    except Unavailable as fault:
        outages.record_outage(resolve_cause(fault.cause), str(fault))
        reconciler.archiving.expect_another_server()
        return PAUSE
    outages.record_recovery()
    return rest


if __name__ == "__main__":
    sys.exit(process.run(watch))
