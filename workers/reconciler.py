"""Queues what is due, repairs derived data and counts finished games: the reconciler process."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event
from time import monotonic

from events.redis import translate_redis_errors
from events.store import Unavailable
from rules import EDITIONS
from service import logs
from service.container import Backend, open_backend, read_time_limits
from service.fairness.clocks import CLOCK
from service.games import deadlines
from service.games.snapshots import Snapshot, UnknownGame
from service.incidents import OutageLog, PoisonLog, resolve_cause
from service.lobby.due_index import Taken
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


class Reconciler:
    """Finds games in which something is due. Any number may run: each leases the games that it takes."""

    def __init__(self, backend: Backend, clock: Clock | None = None) -> None:
        self._backend = backend
        self._clock: Clock = clock or backend.clock
        self._rebuild = Rebuild(backend)
        self._rebuilding = False
        self._next_departure = 0.0
        self._unadopted = deque(range(backend.store.partitions))
        self._poison = PoisonLog(log, "reconciler")
        self._tally = Tally(backend, self._clock, self._poison)

    def step(self) -> float:
        """Process what is due, and return the seconds until the next step. Raises Unavailable."""
        with translate_redis_errors():
            taken = self._backend.due.take(self._clock())
            for game in taken.games:
                self._process_due(game, taken)
            self._go_on_rebuilding(taken)
            self._go_on_adopting()
            self._tally.step()
            self._leave_for_erased()
        return 0.0 if self._rebuilding else min(TICK, taken.rest)

    def _leave_for_erased(self, now: Callable[[], float] = monotonic) -> None:
        """Give up some seats of erased players and forget their names, at most once in DEPARTURE_PAUSE."""
        if now() >= self._next_departure:
            self._backend.erasure.leave_some(self._poison.record)
            self._backend.erasure.rewrite_log()
            self._next_departure = now() + DEPARTURE_PAUSE

    def _go_on_adopting(self) -> None:
        """Look in one partition for games that the archive has and Redis does not."""
        if self._unadopted:
            adopt_archived(self._backend, self._unadopted[0])
            self._unadopted.popleft()

    def expect_another_server(self) -> None:
        """Look through the archive again: after an outage the server may be an older one."""
        self._unadopted = deque(range(self._backend.store.partitions))

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
        except Unavailable:
            raise
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
        """Drop what a finished game needs no more, archive it, and return when to come back."""
        repeatable = deadlines.repeatable_until(snapshot)
        if repeatable <= now:
            self._backend.games.forget_leftovers(game)
        archived = deadlines.archiving_time(snapshot, self._backend.time_limits)
        if archived is not None and archived <= now and not self._archive(game, snapshot):
            return now + HELD_TIME
        return min((at for at in (repeatable, archived) if at is not None and at > now), default=None)

    def _archive(self, game: str, snapshot: Snapshot) -> bool:
        """Move a game to the archive; return False if that has to be tried again soon.

        A game by rules that only a newer program knows is left to that one.
        """
        archiver = self._backend.archiver
        if archiver is None or not EDITIONS.knows(snapshot.state):
            return True
        is_due = self._backend.store.is_archived(game) or archiver.is_ready(snapshot)
        return is_due and archiver.archive(game)

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
        reconciler = Reconciler(backend)
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
        reconciler.expect_another_server()
        return PAUSE
    outages.record_recovery()
    return rest


if __name__ == "__main__":
    sys.exit(process.run(watch))
