"""How long a piece of work may take."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

# Asked between two answers: whether this was enough for now.
IsOver = Callable[[], bool]


def last_for(seconds: float) -> IsOver:
    end = monotonic() + seconds
    return lambda: monotonic() >= end
