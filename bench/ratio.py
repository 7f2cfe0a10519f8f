"""One figure beside its peer's, and how to take both fairly."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

from msgspec import Struct

SLICES = 25
SLICE_SECONDS = 0.1


class Skipped(Exception):
    """A part cannot be measured on this machine; the message says why."""


class Ratio(Struct, frozen=True):
    """`demanded` is the least that will do, or the most where less is better."""

    name: str
    ours: float
    peer: float
    unit: str
    demanded: float
    at_most: bool = False
    remark: str = ""

    @property
    def value(self) -> float:
        return self.ours / self.peer

    @property
    def met(self) -> bool:
        return self.value <= self.demanded if self.at_most else self.value >= self.demanded


def measure_rates(*works: Callable[[], int]) -> list[float]:
    """Units of work a second of processor time, for each work; a call says how many units it did.

    Short slices take turns, and the median of each side counts, so that a busy neighbour hurts nobody alone.
    """
    rates: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(SLICES):
        for work, taken in zip(works, rates, strict=True):
            taken.append(_rate(work))
    return [median(taken) for taken in rates]


def _rate(work: Callable[[], int]) -> float:
    done = 0
    start = process_time()
    while (spent := process_time() - start) < SLICE_SECONDS:
        done += work()
    return done / spent
