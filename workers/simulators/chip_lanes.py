"""Chip cards in many lanes: who places two dice at once takes the one worth most to them (C7)."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from workers.simulators.ranks import Ints

COLOURS = 5
# In thousands, for so many cards of one colour.
SETS = np.array([0, 10, 30, 60, 100, 150], np.int32)
ENOUGH_DICE = 2


class Placed(Protocol):
    @property
    def weight(self) -> Ints: ...

    @property
    def white(self) -> Ints | None: ...


class ChipLanes:
    """`lying` by lane, casino and colour, `held` by lane, seat and colour."""

    def __init__(self, lying: Ints, held: Ints, white_counts: bool) -> None:
        self.lying, self.held, self._white_counts = lying, held, white_counts

    def select(self, rows: Ints) -> ChipLanes:
        return ChipLanes(self.lying[rows], self.held[rows], self._white_counts)

    def worth(self) -> Ints:
        return SETS[self.held].sum(axis=2, dtype=np.int32)

    def bonus(self, seat: int, rolled: Placed) -> Ints:
        """What the best card that may be taken adds, by lane and casino."""
        best = self._added(seat).max(axis=2)
        return np.where(self._earns(rolled), np.maximum(best, 0), 0)

    def take(self, seat: int, rolled: Placed, rows: Ints, face: Ints) -> None:
        added = self._added(seat)[rows, face]
        colour = added.argmax(axis=1)
        earned = self._earns(rolled)[rows, face] & (added.max(axis=1) > 0)
        rows, face, colour = rows[earned], face[earned], colour[earned]
        self.lying[rows, face, colour] -= 1
        self.held[rows, seat, colour] += 1

    def _added(self, seat: int) -> Ints:
        """What each colour would add where one lies; a set of n is worth 10 × n more than one of n - 1."""
        more = 10 * (self.held[:, seat] + 1)
        return np.where(self.lying > 0, more[:, None], 0)

    def _earns(self, rolled: Placed) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        counted = (
            rolled.weight if rolled.white is None or not self._white_counts else rolled.weight + rolled.white
        )
        return counted >= ENOUGH_DICE
