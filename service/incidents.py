"""Logs an outage or an unreadable game once, not at every retry."""

from __future__ import annotations

from collections.abc import Callable

from structlog.typing import FilteringBoundLogger

from events.inspection import Inspection
from events.redis import CAUSES
from events.store import Unavailable
from service import metrics
from service.run_folder import is_disk_full


def resolve_cause(cause: str) -> str:
    """Return `disk` if writes are refused because the supervisor found the disk almost full.

    Redis itself reports `replicas` then, because that is how it was told to refuse writes.
    """
    return "disk" if cause == "replicas" and is_disk_full() else cause


class OutageLog:
    """Logs when writing to the log begins to fail, when the cause changes, and when it works again."""

    def __init__(self, log: FilteringBoundLogger) -> None:
        """Begin without an outage."""
        self._log = log
        self.cause: str | None = None

    def watch(self, inspect: Callable[[], Inspection]) -> Inspection:
        """Return what `inspect` finds, and log a change. Raises Unavailable."""
        try:
            inspection = inspect()
        except Unavailable as fault:
            self.record_outage(resolve_cause(fault.cause), str(fault))
            raise
        if inspection.cause:
            faults = inspection.unfit + inspection.troubles
            self.record_outage(resolve_cause(inspection.cause), "; ".join(faults))
        else:
            self.record_recovery()
        return inspection

    def record_outage(self, cause: str, detail: str) -> None:
        """Log an outage, unless this cause is logged already. `detail` may name hosts and paths."""
        if cause == self.cause:
            return
        self.cause = cause
        self._log.warning(
            "log_unavailable",
            cause=cause,
            detail=detail,
            meaning=CAUSES[cause],
            action="see the cause in docs/operating.md; choices are refused until it is mended",
        )

    def record_recovery(self) -> None:
        """Log that writing works again, if it did not before."""
        if self.cause is None:
            return
        self._log.warning("log_available", after=self.cause, meaning="choices are stored again")
        self.cause = None


# With more games than this, some are logged a second time.
MOST_GAMES = 1_000


class PoisonLog:
    """Logs and counts games that a process cannot continue."""

    def __init__(self, log: FilteringBoundLogger, process: str) -> None:
        """Begin with no game logged."""
        self._log = log
        self._process = process
        self._known: dict[str, str] = {}

    def record(self, game: str, fault: Exception) -> None:
        """Log the game with the traceback, once for each different fault."""
        if self._known.get(game) == repr(fault):
            return
        if len(self._known) >= MOST_GAMES:
            self._known.clear()
        self._known[game] = repr(fault)
        metrics.count_poison_game(self._process)
        self._log.error(
            "game_poisoned",
            game=game,
            meaning="this process cannot continue the game; other games go on",
            action="report the traceback; GET /v1/games/{game}/audit says whether the log is intact",
            exc_info=fault,
        )
