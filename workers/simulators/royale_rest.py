"""The rest of a round of lanes: dice that are the same for all options, and a sensible way to place them."""

from __future__ import annotations

from random import Random

import numpy as np

from workers.simulators.luck import count_faces, even_numbers
from workers.simulators.royale_lanes import CASINOS, CHIP, Flags, Ints, RoyaleLanes

SMALL_DICE = 7
# Nobody passes for ever: after so many turns hardly anybody has a die left.
MOST_TURNS = 14
# Thousands of dollars: what a die is worth in the hand, and how far whims go.
DIE, WHIM = 8, 8
# The best rival counts in full, all of them together a tenth; worth is in tenths of a thousand.
TENTHS = 10
NEVER = -(10**8)


class Rest:
    """`extra` is what seats have besides, `prizes` what they get for coming to a casino.

    Lanes of the same number among `playouts` have the same luck.
    """

    def __init__(self, lanes: RoyaleLanes, extra: Ints, prizes: Ints, playouts: int, chance: Random) -> None:
        self._lanes, self._playouts, self._chance = lanes, playouts, chance
        self._prizes, self.extra = prizes, extra
        self._number = np.tile(np.arange(playouts), len(extra) // playouts)

    def play(self, order: tuple[int, ...], rolls: Flags) -> None:
        """Until nobody has dice; in some lanes the last in order has a turn before the first."""
        if rolls.any():
            self._take_turn(order[-1], rolls)
        for _ in range(MOST_TURNS):
            for seat in order:
                self._take_turn(seat, self._lanes.has_dice(seat))
            if self._lanes.is_done:
                return

    def _take_turn(self, seat: int, playing: Flags) -> None:
        small, big = self._roll(seat)
        legal, paid = self._lanes.offers(seat, small, big)
        worth = np.where(legal, self._worth(seat, small + 2 * big, paid), NEVER)
        best, most = worth.argmax(axis=1), worth.max(axis=1)
        passes = playing & (self._lanes.chips[:, seat] > 0) & (most < -TENTHS * CHIP)
        rows = np.flatnonzero(playing & ~passes & (most > NEVER))
        self._lanes.place(seat, rows, best[rows], small, big, paid)
        self.extra[rows, seat] += self._prizes[rows, best[rows]]
        self._lanes.pass_turn(seat, np.flatnonzero(passes))

    def _worth(self, seat: int, dice: Ints, paid: Ints) -> Ints:
        """By lane and casino: what comes of placing there, for the dice that it takes."""
        whims = even_numbers(self._chance, TENTHS * WHIM, self._playouts, CASINOS)[self._number]
        return self._gain(seat, paid) + TENTHS * (self._prizes - DIE * dice) + whims

    def _roll(self, seat: int) -> tuple[Ints, Ints]:
        """By lane and face: the small dice and the big one."""
        counted = count_faces(even_numbers(self._chance, CASINOS, self._playouts, SMALL_DICE))
        small = counted[self._number, self._lanes.small[:, seat]]
        face = even_numbers(self._chance, CASINOS, self._playouts)[self._number, None]
        big = (face == np.arange(CASINOS)) & (self._lanes.big[:, seat, None] > 0)
        return small, big.astype(np.int32)

    def _gain(self, seat: int, paid: Ints) -> Ints:
        """By lane and casino: how much better the seat would stand against its rivals."""
        now = (self._lanes.won() + self.extra)[:, :, None]
        return _stand(seat, now + paid - self._lanes.paid) - _stand(seat, now)


def _stand(seat: int, sums: Ints) -> Ints:
    """By lane and casino, for sums by lane, seat and casino."""
    rivals = np.delete(sums, seat, axis=1)
    found: Ints = TENTHS * (sums[:, seat] - rivals.max(axis=1)) - rivals.sum(axis=1)
    return found
