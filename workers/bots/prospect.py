"""What a table is worth to a seat."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import NamedTuple


class Prospect(NamedTuple):
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

    def with_dollars(self, dollars: float) -> Prospect:
        return self._replace(worth=self.worth + dollars, own=self.own + dollars)


def mean(prospects: Sequence[Prospect], weights: Sequence[float]) -> Prospect:
    whole = sum(weights)
    return Prospect(*(sum(map(mul, part, weights)) / whole for part in zip(*prospects, strict=True)))
