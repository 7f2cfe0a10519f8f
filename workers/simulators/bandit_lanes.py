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
    """`merits` by lane and seat, `taken` by lane and face, two notes by lane or for all lanes."""

    def __init__(self, merits: Ints, taken: NDArray[np.bool_], notes: Ints) -> None:
        self.merits, self.taken, self.notes = merits, taken, notes

    def merits_after(self, seat: int, weight: Ints) -> Ints:
        """Of the seat, by lane and face, if it placed that face here."""
        now = self.merits[:, seat, None]
        return (((now >> 3) + weight * (512 + _FACES)) << 3) | np.maximum(now & 7, _FACES)

    def pay_each(self, seat: int, merits: Ints) -> Ints:
        """By lane, face and seat."""
        return self.pay(self.after(seat, merits))

    def after(self, seat: int, merits: Ints | None) -> Ints:
        """Everybody's, by lane and face, if the seat's became these."""
        after = np.repeat(self.merits[:, None], 6, axis=1)
        if merits is not None:
            after[:, :, seat] = merits
        return after

    def pay(self, merits: Ints) -> Ints:
        """`notes` by lane (or one for all) and rank; only two ranks are ever paid."""
        ranks = (merits[..., None, :] > merits[..., :, None]).sum(axis=-1)
        first, second = (self.notes[:, rank].reshape(-1, *[1] * (merits.ndim - 1)) for rank in (0, 1))
        paid = np.where(ranks == 0, first, np.where(ranks == 1, second, 0)).astype(np.int32)
        return np.where(merits > 0, paid, 0)

    def select(self, rows: Ints) -> BanditLanes:
        notes = self.notes if len(self.notes) == 1 else self.notes[rows]
        return BanditLanes(self.merits[rows], self.taken[rows], notes)

    @staticmethod
    def join(tables: list[BanditLanes]) -> BanditLanes:
        return BanditLanes(
            np.concatenate([table.merits for table in tables]),
            np.concatenate([table.taken for table in tables]),
            np.concatenate([table.notes for table in tables]),
        )

    def take(self, seat: int, merits: Ints, rows: Ints, face: Ints) -> None:
        self.merits[rows, seat] = merits[rows, face]
        self.taken[rows, face] = True
