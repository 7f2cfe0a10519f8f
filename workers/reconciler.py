"""The reconciler process: queues what is due, repairs derived data, counts finished games."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event
from time import monotonic

from events.redis import translate_redis_errors
from events.store import Unavailable
from service import logs
from service.container import Backend, open_backend, read_time_limits
from service.fairness.clocks import CLOCK
from service.games import deadlines
from service.games.snapshots import Snapshot, UnknownGame
from service.incidents import OutageLog, PoisonLog, resolve_cause
from service.lobby.due_index import Taken
from service.lobby.rebuild import Rebuild
from service.run_folder import beat
from service.stats.ratings import Ratings
from workers import process
from workers.turns import Clock, utc_now

# While nothing waits to be counted, it is looked for so often.
COUNTING_PAUSE = 1.0


class Tally:
    def __init__(self, backend: Backend, clock: Clock, poison: PoisonLog) -> None:
        self._stats, self._ratings = backend.stats, Ratings(backend.redis)
        self._clock, self._poison = clock, poison
        self._next = 0.0

    def step(self, now: Callable[[], float] = monotonic) -> None:
        """One game, and some ratings. Raises Unavailable."""
        if now() >= self._next:
            counted = self._count()
            rated = self._ratings.catch_up(self._clock().timestamp())
            self._next = 0.0 if counted or rated else now() + COUNTING_PAUSE

    def _count(self) -> bool:
        """A game that cannot be read is left out, and told of once."""
        game = self._stats.find_waiting()
        if game is None:
            return False
        try:
            self._stats.count(game)
        except Unavailable:
            raise
        except Exception as fault:
            self._poison.note(game, fault)
            self._stats.forget(game)
        return True


# What is due is looked for so often; a game that is known to be due sooner is not kept waiting.
TICK = 0.1
# A rebuild stops after so many games to see what is due: some milliseconds each.
SLICE = 20
PAUSE = 2.0
# Seats of players who were erased are given up at once as a rule; what is left of that can wait so long.
PARTING_PAUSE = 1.0
# A game that cannot be read will not be readable in a moment.
FAULTY_TIME = timedelta(minutes=5)

log = logs.logger(process="reconciler")


class Reconciler:
    """Any number may run at once: what one has taken is not offered to others before its lease ends."""

    def __init__(self, backend: Backend, clock: Clock = utc_now) -> None:
        self._backend, self._clock = backend, clock
        self._rebuild = Rebuild(backend)
        self._rebuilding, self._next_parting = False, 0.0
        self._poison = PoisonLog(log, "reconciler")
        self._tally = Tally(backend, clock, self._poison)

    def step(self) -> float:
        """One look; how many seconds there is nothing to do. Raises Unavailable."""
        with translate_redis_errors():
            taken = self._backend.due.take(self._clock())
            for game in taken.games:
                self._tend(game, taken)
            self._go_on_rebuilding(taken)
            self._tally.step()
            self._leave_for_erased()
        return 0.0 if self._rebuilding else min(TICK, taken.rest)

    def _leave_for_erased(self, now: Callable[[], float] = monotonic) -> None:
        if now() >= self._next_parting:
            self._backend.partings.leave_some(self._poison.note)
            self._next_parting = now() + PARTING_PAUSE

    def _go_on_rebuilding(self, taken: Taken) -> None:
        """A few games at a time: what is due does not wait until all have been read."""
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
        for game, fault in self._rebuild.faults.items():
            self._poison.note(game, fault)
        self._log_rebuild("rebuild_done")

    def _log_rebuild(self, event: str) -> None:
        """Write nothing where there are no games, as at the first start of a service."""
        if self._rebuild.games:
            log.info(event, games=self._rebuild.games)

    def _tend(self, game: str, taken: Taken) -> None:
        """One game that cannot be read must not hold up the others, nor be tried all the time."""
        beat()
        try:
            self._see_to(game, taken)
        except Unavailable:
            raise
        except UnknownGame:
            self._backend.due.settle(game, taken.lease, None)
        except Exception as fault:
            self._poison.note(game, fault)
            self._backend.due.settle(game, taken.lease, self._clock() + FAULTY_TIME)

    def _see_to(self, game: str, taken: Taken) -> None:
        snapshot, now = self._backend.games.snapshot(game), self._clock()
        at = deadlines.next_due(snapshot, self._backend.patience)
        if at is None or at > now:
            self._backend.due.settle(game, taken.lease, at)
        elif snapshot.state.status == "over":
            self._backend.games.forget_leftovers(game)
            self._backend.due.settle(game, taken.lease, None)
        elif self._is_to_be_closed(snapshot, now):
            self._close(game, snapshot)
        else:
            self._nudge(game, snapshot)

    def _is_to_be_closed(self, snapshot: Snapshot, now: datetime) -> bool:
        end = deadlines.closing_time(snapshot, self._backend.patience)
        return end is not None and now >= end

    def _close(self, game: str, snapshot: Snapshot) -> None:
        """Unless somebody does something in this very moment: then the next look will tell."""
        reason = deadlines.closing_reason(snapshot)
        if self._backend.games.close(game, reason, CLOCK, snapshot.version):
            log.info("game_closed", game=game, reason=reason)

    def _nudge(self, game: str, snapshot: Snapshot) -> None:
        """It comes again when the lease ends, unless an answer was projected by then."""
        if self._backend.nudges.send(game):
            log.debug("game_nudged", game=game, version=snapshot.version)


def watch(url: str, stopped: Event) -> None:
    with open_backend(url, read_time_limits()) as backend:
        reconciler, outages = Reconciler(backend), OutageLog(log)
        while not stopped.is_set():
            beat()
            stopped.wait(_step_safely(reconciler, outages))


def _step_safely(reconciler: Reconciler, outages: OutageLog) -> float:
    try:
        rest = reconciler.step()
    except Unavailable as fault:
        outages.record_outage(resolve_cause(fault.cause))
        return PAUSE
    outages.record_recovery()
    return rest


if __name__ == "__main__":
    sys.exit(process.run(watch))
