"""What is asked often and changes seldom, asked once in a while."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Generic, TypeVar

from events.store import Unavailable

T = TypeVar("T")


class Recent(Generic[T]):
    """Asks again only when its answer, be it that nothing can be learned, is older than so many seconds."""

    def __init__(self, ask: Callable[[], T], seconds: float = 1.0) -> None:
        self._ask, self._seconds = ask, seconds
        self._answer: T | Unavailable | None = None
        self._asked = -seconds

    def __call__(self) -> T:
        """Raises Unavailable."""
        if self._answer is None or monotonic() - self._asked >= self._seconds:
            # Before the answer is there: while somebody asks, the others make do with the last one.
            self._asked = monotonic()
            try:
                self._answer = self._ask()
            except Unavailable as fault:
                self._answer = fault
        if isinstance(self._answer, Unavailable):
            raise self._answer
        return self._answer
