"""Holds what a table is worth to a seat, and the random numbers with which tables are tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul
from random import Random
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

from rules.chance import Below, faces


class Valuation(NamedTuple):
    """Holds what a table is worth to a seat.

    `worth` compares it with its rivals; `own` is its money and `hand`, the price of what it may still bring.
    `rivals` is what they have together. Valuations are compared by `worth` first, and then by `own`.
    """

    worth: float
    own: float
    hand: float = 0.0
    rivals: float = 0.0

    @property
    def money(self) -> float:
        """Return the seat's own money without the price of what is in hand."""
        return self.own - self.hand

    def with_dollars(self, dollars: float) -> Valuation:
        """Return the valuation with so many dollars more for the seat."""
        return self._replace(worth=self.worth + dollars, own=self.own + dollars)


def mean(valuations: Sequence[Valuation], weights: Sequence[float]) -> Valuation:
    """Return the weighted mean of valuations."""
    whole = sum(weights)
    return Valuation(*(sum(map(mul, part, weights)) / whole for part in zip(*valuations, strict=True)))


Found = TypeVar("Found")


class Memo(Generic[Found]):
    """Remembers results by table. Tables cannot be hashed, so the entries are compared one by one."""

    def __init__(self) -> None:
        self._entries: list[tuple[tuple[Any, ...], Found]] = []

    def find(self, table: tuple[Any, ...], work: Callable[[], Found]) -> Found:
        """Return the result for this table; `work` computes it the first time."""
        for known, found in self._entries:
            if known == table:
                return found
        found = work()
        self._entries.append((table, found))
        return found


class Throw(Struct, frozen=True):
    """Holds a throw of two dice, and how often it comes among 36."""

    pair: tuple[int, int]
    often: int


THROWS = tuple(Throw((low, high), 1 + (low != high)) for low in range(1, 7) for high in range(low, 7))
# A sample with the statistics of all throws: equal faces, one seven and one double in six, seven on average.
SOME_THROWS = (
    *(Throw(pair, 6) for pair in ((1, 3), (2, 4), (3, 5), (4, 6), (1, 6))),
    *(Throw(pair, 3) for pair in ((2, 2), (5, 5))),
)
_SALT = "00" * 16


class SampledChance:
    """Draws dice and cards from a seed: equal seeds give equal futures, so that options meet the same luck.

    The first throw of two dice may be given as `pair`, so that means over all throws are exact.
    """

    def __init__(self, seed: int, pair: tuple[int, ...] = ()) -> None:
        self._random = Random(seed)
        self._pair = pair
        self._rolled: dict[int, tuple[int, ...]] = {}

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        """Return the roll of this number; asked again for as many dice, it returns the same one."""
        rolled = self._rolled.get(number)
        if rolled is None or len(rolled) != count:
            rolled = self._rolled[number] = self._roll(count)
        return rolled

    def _roll(self, count: int) -> tuple[int, ...]:
        """Return the given pair if two dice are thrown for the first time; else dice from the seed."""
        if count == 2 and self._pair:
            pair = self._pair
            self._pair = ()
            return pair
        return tuple(faces(self._random.randbytes(count + 16))[:count])

    def draw(self, number: int) -> Below:
        """Return a function that draws a whole number below a bound."""
        even = self._random.random
        return lambda bound: int(even() * bound)

    def salt(self, number: int) -> str:
        """Return a fixed salt: nothing is hidden in tables that a bot tries."""
        return _SALT

    def seed(self) -> str:
        """Return an empty seed: there is none to reveal."""
        return ""
