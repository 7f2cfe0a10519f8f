"""Lets long computations yield so that other requests are served meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import RLock
from time import perf_counter, sleep
from typing import TypeVar, overload

T = TypeVar("T")

# One long computation of a request at a time: each yields to other requests, but not to a second computation.
HEAVY_WORK_LOCK = RLock()
# A wait of this length is not noticed.
LONGEST_STRETCH = 0.002
# No time at all would let others go on, but let nothing arrive for them.
YIELD_SECONDS = 0.000_001


class Stretch:
    """Measures how long a computation has run since it last let others run: `pause` lets them."""

    def __init__(self, rest: float = YIELD_SECONDS) -> None:
        """Begin now; `rest` is how many seconds each pause takes."""
        self._rest = rest
        self._since = perf_counter()

    def pause(self) -> None:
        """Let other requests run if the computation has run for long; for every step of a loop."""
        if perf_counter() - self._since > LONGEST_STRETCH:
            sleep(self._rest)
            self._since = perf_counter()


class CooperativeIterator(Sequence[T]):
    """A sequence that lets other requests run while it is iterated: requests share a thread."""

    def __init__(self, things: Sequence[T], stretch: Stretch | None = None) -> None:
        """Iterate over these items; without a stretch each iteration begins one of its own."""
        self._things = things
        self._stretch = stretch

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
        stretch = self._stretch or Stretch()
        for thing in self._things:
            stretch.pause()
            yield thing
