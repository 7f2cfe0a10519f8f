"""Logs an outage or an unreadable game once, not at every retry."""

from __future__ import annotations

from collections.abc import Callable

from structlog.typing import FilteringBoundLogger

from events.redis import CAUSES, Inspection
from events.store import Unavailable
from service import metrics
from service.run_folder import is_disk_full


def settle_cause(cause: str) -> str:
    """What Redis does not know: the supervisor makes it refuse writes before the disk is full."""
    return "disk" if cause == "replicas" and is_disk_full() else cause


class OutageLog:
    def __init__(self, log: FilteringBoundLogger) -> None:
        self._log = log
        self.cause: str | None = None

    def watch(self, inspect: Callable[[], Inspection]) -> Inspection:
        """Inspects, and notes what comes out. Raises Unavailable."""
        try:
            inspection = inspect()
        except Unavailable as fault:
            self.note(settle_cause(fault.cause))
            raise
        if inspection.cause:
            self.note(settle_cause(inspection.cause))
        else:
            self.note_end()
        return inspection

    def note(self, cause: str) -> None:
        if cause != self.cause:
            self.cause = cause
            self._log.warning("log_unavailable", cause=cause, meaning=CAUSES[cause])

    def note_end(self) -> None:
        if self.cause is not None:
            self._log.warning("log_available", after=self.cause)
            self.cause = None


# Whoever has more of them has another problem, and may hear of some of them again.
MOST_GAMES = 1_000


class PoisonLog:
    def __init__(self, log: FilteringBoundLogger, process: str) -> None:
        self._log, self._process = log, process
        self._known: dict[str, str] = {}

    def note(self, game: str, fault: Exception) -> None:
        """With the traceback; again only when something else goes wrong with the game."""
        if self._known.get(game) == repr(fault):
            return
        if len(self._known) >= MOST_GAMES:
            self._known.clear()
        self._known[game] = repr(fault)
        metrics.count_poison_game(self._process)
        self._log.error("game_poisoned", game=game, exc_info=fault)
