"""Chance for the dice that a bot only imagines."""

from __future__ import annotations

from random import Random

from msgspec import Struct

from rules.chance import Below, faces


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
        self._random, self._pair = Random(seed), pair
        self._rolled: dict[int, tuple[int, ...]] = {}

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        rolled = self._rolled.get(number)
        if rolled is None or len(rolled) != count:
            rolled = self._rolled[number] = self._roll(count)
        return rolled

    def _roll(self, count: int) -> tuple[int, ...]:
        if count == 2 and self._pair:
            pair, self._pair = self._pair, ()
            return pair
        return tuple(faces(self._random.randbytes(count + 16))[:count])

    def draw(self, number: int) -> Below:
        even = self._random.random
        return lambda bound: int(even() * bound)

    def salt(self, number: int) -> str:
        return _SALT

    def seed(self) -> str:
        return ""
