"""How long games wait for a worker: measured always, told when it is long."""

from __future__ import annotations

from time import monotonic

from service import logs, metrics
from service.lanes.lanes import Turn

LONG_SECONDS = 1.0
# A crowded service would else fill the log with what one line in a while says as well.
SILENCE_SECONDS = 10.0

log = logs.logger(process="worker")


class WaitLog:
    def __init__(self) -> None:
        self._quiet_until, self._untold = 0.0, 0

    def note(self, turn: Turn, now: float) -> None:
        metrics.observe_queue_wait(turn.waited)
        if turn.waited < LONG_SECONDS:
            return
        self._untold += 1
        if now >= self._quiet_until:
            seconds = round(turn.waited, 1)
            log.warning("games_waited_long", game=turn.game, seconds=seconds, games=self._untold)
            self._quiet_until, self._untold = now + SILENCE_SECONDS, 0


_log = WaitLog()


def note_wait(turn: Turn) -> None:
    _log.note(turn, monotonic())
