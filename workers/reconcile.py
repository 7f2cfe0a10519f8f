"""Finds in the log what should have happened by now, and sets it going again."""

from __future__ import annotations

import sys
from threading import Event

from events.projector import rebuild
from events.redis_client import translate_redis_errors
from events.store import Unavailable
from service import logs
from service.factory import Backend, open_backend
from service.heartbeats import beat
from service.outages import OutageLog, settle_cause
from service.play.snapshots import Snapshot
from service.poison import PoisonLog
from service.rebuild import lobby_handler
from workers import due, process
from workers.playing import Clock, utc_now

PERIOD = 2.0
# A worker that is alive answers well within this; queue and worker are given up after it.
PATIENCE = 3.0

log = logs.logger(process="reconciler")


class Reconciler:
    def __init__(self, backend: Backend, clock: Clock = utc_now) -> None:
        self._backend = backend
        self._store, self._games = backend.store, backend.games
        self._lobby, self._nudges = backend.lobby, backend.nudges
        self._clock = clock
        self._resting: dict[str, int] = {}
        self._poison = PoisonLog(log, "reconciler")

    def step(self) -> None:
        """Raises Unavailable."""
        with translate_redis_errors():
            self._rebuild_lobby()
            active = self._lobby.active_games()
            waiting = self._nudges.queued_games()
            self._resting = {game: self._resting[game] for game in active if game in self._resting}
            for game in active:
                if game not in waiting:
                    self._tend(game)

    def _rebuild_lobby(self) -> None:
        """A lobby that was dropped comes back from the log, with the list of active games."""
        if self._lobby.is_whole():
            return
        self._lobby.forget_lines()
        for game, fault in rebuild(self._store, lobby_handler(self._backend)).items():
            self._poison.note(game, fault)
        self._lobby.mark_whole()

    def _tend(self, game: str) -> None:
        """One game that cannot be read must not hold up the others."""
        beat()
        try:
            self._nudge_if_stuck(game)
        except Unavailable:
            raise
        except Exception as fault:
            self._poison.note(game, fault)

    def _nudge_if_stuck(self, game: str) -> None:
        if self._resting.get(game) == self._store.head(game)[0]:
            return
        snapshot = self._games.snapshot(game)
        if not due.moves_by_itself(snapshot.state):
            self._resting[game] = snapshot.version
        elif self._is_stuck(snapshot):
            self._nudges.send(game, snapshot, self._attempt(snapshot))
            log.info("game_nudged", game=game, version=snapshot.version)

    def _is_stuck(self, snapshot: Snapshot) -> bool:
        now = self._clock()
        idle = (now - snapshot.changed_at).total_seconds()
        return bool(due.bots_due(snapshot.state) and idle >= PATIENCE) or bool(due.late_people(snapshot, now))

    def _attempt(self, snapshot: Snapshot) -> int:
        """Another one each period, so that a nudge which came to nothing does not bar the next."""
        return 1 + int((self._clock() - snapshot.changed_at).total_seconds() / PERIOD)


def watch(url: str, stopped: Event) -> None:
    with open_backend(url) as backend:
        reconciler, outages = Reconciler(backend), OutageLog(log)
        while not stopped.is_set():
            beat()
            try:
                reconciler.step()
                outages.note_end()
            except Unavailable as fault:
                outages.note(settle_cause(fault.cause))
            stopped.wait(PERIOD)


if __name__ == "__main__":
    sys.exit(process.run(watch))
