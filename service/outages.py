"""Tells of an outage once when it begins, once when its cause changes and once when it is over."""

from __future__ import annotations

from collections.abc import Callable

from structlog.typing import FilteringBoundLogger

from events.outages import CAUSES
from events.redis_inspection import Inspection
from events.store import Unavailable
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
