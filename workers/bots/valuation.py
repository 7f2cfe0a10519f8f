"""What a table is worth to a seat, over sampled dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

from rules.chance import Below, faces


class Valuation(NamedTuple):
    """What a table is worth to a seat against its rivals, and what is its own in it.

    Of its own, `hand` is the price of what it may still bring; `rivals` is what they have together. Neither
    adds anything to what is worth more.
    """

    worth: float
    own: float
    hand: float = 0.0
    rivals: float = 0.0

    @property
    def money(self) -> float:
        return self.own - self.hand

    def with_dollars(self, dollars: float) -> Valuation:
        return self._replace(worth=self.worth + dollars, own=self.own + dollars)


def mean(prospects: Sequence[Valuation], weights: Sequence[float]) -> Valuation:
    whole = sum(weights)
    return Valuation(*(sum(map(mul, part, weights)) / whole for part in zip(*prospects, strict=True)))


Found = TypeVar("Found")


class Memo(Generic[Found]):
    """What was worked out before, by tables: they cannot be hashed, but mostly share their parts."""

    def __init__(self) -> None:
        self._entries: list[tuple[tuple[Any, ...], Found]] = []

    def find(self, table: tuple[Any, ...], work: Callable[[], Found]) -> Found:
        for known, found in self._entries:
            if known == table:
                return found
        found = work()
        self._entries.append((table, found))
        return found


class Throw(Struct, frozen=True):
    """Two dice, and how often they come among 36 throws."""

    pair: tuple[int, int]
    often: int


THROWS = tuple(Throw((low, high), 1 + (low != high)) for low in range(1, 7) for high in range(low, 7))
# Every face as often as the next, a seven and a double in every sixth throw, and seven on average.
SOME_THROWS = (
    *(Throw(pair, 6) for pair in ((1, 3), (2, 4), (3, 5), (4, 6), (1, 6))),
    *(Throw(pair, 3) for pair in ((2, 2), (5, 5))),
)
_SALT = "00" * 16


class SampledChance:
    """Equal seeds give equal futures, so that options are compared on the same luck.

    The first throw of two dice may be given, so that expectations over all of them are exact.
    """

    def __init__(self, seed: int, pair: tuple[int, ...] = ()) -> None:
        self._random = Random(seed)
        self._pair = pair
        self._rolled: dict[int, tuple[int, ...]] = {}

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        rolled = self._rolled.get(number)
        if rolled is None or len(rolled) != count:
            rolled = self._rolled[number] = self._roll(count)
        return rolled

    def _roll(self, count: int) -> tuple[int, ...]:
        if count == 2 and self._pair:
            pair = self._pair
            self._pair = ()
            return pair
        return tuple(faces(self._random.randbytes(count + 16))[:count])

    def draw(self, number: int) -> Below:
        even = self._random.random
        return lambda bound: int(even() * bound)

    def salt(self, number: int) -> str:
        return _SALT

    def seed(self) -> str:
        return ""
