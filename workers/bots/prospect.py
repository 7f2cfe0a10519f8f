"""What a table is worth to a seat."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import NamedTuple


class Prospect(NamedTuple):
    """What a table is worth to a seat against its rivals, and what is its own in it."""

    worth: float
    own: float

    def with_dollars(self, dollars: float) -> Prospect:
        return Prospect(self.worth + dollars, self.own + dollars)


def mean(prospects: Sequence[Prospect], weights: Sequence[float]) -> Prospect:
    whole = sum(weights)
    worth, own = (sum(map(mul, part, weights)) / whole for part in zip(*prospects, strict=True))
    return Prospect(worth, own)
