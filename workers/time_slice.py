"""Measures the time slice of a job: how long a worker goes on before it looks at the queue again."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

# Called between two answers; returns True when the slice is used up.
IsOver = Callable[[], bool]


def last_for(seconds: float) -> IsOver:
    """Return a function that says whether this many seconds have passed since now."""
    end = monotonic() + seconds
    return lambda: monotonic() >= end
