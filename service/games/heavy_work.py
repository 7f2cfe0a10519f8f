"""Lets long computations yield so that other requests are served meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import RLock
from time import perf_counter, sleep
from typing import TypeVar, overload

T = TypeVar("T")

# One long computation at a time: each yields to other requests, but not to a second computation.
HEAVY_WORK_LOCK = RLock()
# A wait of this length is not noticed.
LONGEST_STRETCH = 0.002
# No time at all would let others go on, but let nothing arrive for them.
YIELD_SECONDS = 0.000_001


class CooperativeIterator(Sequence[T]):
    """A sequence that lets other requests run while it is iterated: requests share a thread."""

    def __init__(self, things: Sequence[T]) -> None:
        """Iterate over these items."""
        self._things = things

    def __len__(self) -> int:
        return len(self._things)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        return self._things[at]

    def __iter__(self) -> Iterator[T]:
        """Yield the items, and let other requests run now and then."""
        since = perf_counter()
        for thing in self._things:
            if perf_counter() - since > LONGEST_STRETCH:
                sleep(YIELD_SECONDS)
                since = perf_counter()
            yield thing
