"""Measures the processor time of a request, without that of other requests that run while it waits."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, thread_time
from typing import Any

from greenlet import getcurrent, settrace
from msgspec import Struct

# The attribute of a greenlet with the seconds for which it has run.
_RUN = "croupier_seconds_run"


class SwitchClock:
    """Adds up how long each greenlet of this thread runs; until it is started, all count as one."""

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._is_started = False
        self._switched_at = 0.0

    def start(self) -> None:
        """Follow every switch between greenlets from now on, which takes half a microsecond for each."""
        self._is_started = True
        self._switched_at = self._clock()
        settrace(self._record_switch)

    def _record_switch(self, event: str, greenlets: tuple[Any, Any]) -> None:
        now = self._clock()
        origin = greenlets[0]
        setattr(origin, _RUN, getattr(origin, _RUN, 0.0) + now - self._switched_at)
        self._switched_at = now

    def read(self) -> float:
        """Return for how many seconds the current greenlet has run, from any beginning."""
        now = self._clock()
        return getattr(getcurrent(), _RUN, 0.0) + now - self._switched_at if self._is_started else now


SWITCH_CLOCK = SwitchClock()


class Stopwatch(Struct, frozen=True):
    """Holds when a request began: for the time in which it runs, and for the processor time of its thread."""

    run: float
    processor: float

    def read(self) -> float:
        """Return the processor time since, in seconds.

        While the request runs, the machine may give its core to another process; while it waits, its thread
        works for other requests. Neither is the request's, so the lesser of the two counts.
        """
        return min(SWITCH_CLOCK.read() - self.run, thread_time() - self.processor)


def start_stopwatch() -> Stopwatch:
    return Stopwatch(SWITCH_CLOCK.read(), thread_time())
