"""The one-armed bandit in many lanes: each face once a round, no two players ever level (D6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workers.simulators.ranks import Ints

_FACES = np.arange(1, 7, dtype=np.int32)


def merit(weight: int, pips: int, highest: int) -> int:
    """Dice, then pips, then the highest number: one number that ranks like the three."""
    return (weight * 512 + pips) * 8 + highest


class BanditLanes:
    """`merits` by lane and seat, `taken` by lane and face, `notes` falling."""

    def __init__(self, merits: Ints, taken: NDArray[np.bool_], notes: Ints) -> None:
        self.merits, self.taken = merits, taken
        self._notes = notes

    def merits_after(self, seat: int, weight: Ints) -> Ints:
        """Of the seat, by lane and face, if it placed that face here."""
        now = self.merits[:, seat, None]
        return (((now >> 3) + weight * (512 + _FACES)) << 3) | np.maximum(now & 7, _FACES)

    def pay_each(self, seat: int, merits: Ints) -> Ints:
        """By lane, face and seat."""
        after = np.repeat(self.merits[:, None], 6, axis=1)
        after[:, :, seat] = merits
        return self.pay(after)

    def pay(self, merits: Ints) -> Ints:
        ranks = (merits[..., None, :] > merits[..., :, None]).sum(axis=-1)
        return np.where(merits > 0, self._notes.take(np.minimum(ranks, len(self._notes) - 1)), 0)

    def take(self, seat: int, merits: Ints, rows: Ints, face: Ints) -> None:
        self.merits[rows, seat] = merits[rows, face]
        self.taken[rows, face] = True
