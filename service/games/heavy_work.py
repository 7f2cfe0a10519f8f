"""Lets long computations yield so that other requests are served meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from threading import Lock, RLock
from time import perf_counter, sleep
from typing import TypeVar, overload

T = TypeVar("T")

# One long computation of a request at a time: each yields to other requests, but not to a second computation.
HEAVY_WORK_LOCK = RLock()
# One file of a request at a time: checking it takes long, and nothing else should wait for it.
IMPORT_LOCK = RLock()
# A wait of this length is not noticed.
LONGEST_STRETCH = 0.002
# No time at all would let others go on, but let nothing arrive for them.
YIELD_SECONDS = 0.000_001
# Files are checked at a third of the speed, because the caller has time and the players have not.
IMPORT_REST = 2 * LONGEST_STRETCH


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


# After a piece of a long reply the process rests for at most so many times as long as the piece took.
LONGEST_REST = 3


class PacedReplies:
    """Lets many long replies share a process with short ones.

    Their pieces are made one at a time. After each comes a rest in proportion to the number of other long
    replies: a single reader gets all there is, and many together get a fourth of the process.
    """

    def __init__(
        self, clock: Callable[[], float] = perf_counter, rest: Callable[[float], object] = sleep
    ) -> None:
        """Begin with no reply; `rest` waits for so many seconds."""
        self._clock = clock
        self._rest = rest
        self._turn = Lock()
        self._open = 0

    def pace(self, pieces: Iterable[bytes]) -> Generator[bytes, None, None]:
        """Yield the pieces of a reply, each when it is its turn."""
        iterator = iter(pieces)
        self._open += 1
        try:
            while True:
                with self._turn:
                    started_at = self._clock()
                    piece = next(iterator, None)
                    took = self._clock() - started_at
                    self._rest(took * min(self._open - 1, LONGEST_REST))
                # Else this reply would take the next turn, too, before those that wait for it are woken.
                self._rest(YIELD_SECONDS)
                if piece is None:
                    return
                yield piece
        finally:
            self._open -= 1


PACED_EXPORTS = PacedReplies()
