"""Rounds with a big die, chips and two notes at a casino, many at once; tiles do nothing in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

CASINOS = 6
# What passing costs, in thousands of dollars.
CHIP = 10
# Nobody has more dice at a casino, the big one and two black ones counted in.
MOST_DICE = 15
ONES = np.array([number.bit_count() for number in range(1 << MOST_DICE + 1)], np.int32)


def pay(weights: Ints, notes: Ints, players: int) -> Ints:
    """By lane, seat and casino: the dearer note to who has most, the other to the next, nothing to the tied.

    `weights` are by lane, owner and casino, the seats before the imaginary players.
    """
    bits = np.where(weights > 0, np.left_shift(1, weights), 0)
    there, several = bits[:, 0], np.zeros_like(bits[:, 0])
    for owner in range(1, bits.shape[1]):
        several = several | (there & bits[:, owner])
        there = there | bits[:, owner]
    alone = (there & ~several)[:, None]
    above = ONES[alone >> (weights[:, :players] + 1)]
    won = np.where(above == 0, notes[:, None, :, 0], np.where(above == 1, notes[:, None, :, 1], 0))
    found: Ints = won * ((bits[:, :players] & alone) > 0)
    return found


class RoyaleLanes:
    """All by lane; money in thousands of dollars, `paid` what each casino would pay each seat now."""

    def __init__(
        self, weights: Ints, hands: tuple[Ints, Ints], chips: Ints, notes: Ints, closed: Flags
    ) -> None:
        self.weights, (self.small, self.big), self.chips = weights, hands, chips
        self.notes, self.closed, self.players = notes, closed, chips.shape[1]
        self.paid = pay(weights, notes, self.players)

    def has_dice(self, seat: int) -> Flags:
        return (self.small[:, seat] > 0) | (self.big[:, seat] > 0)

    @property
    def is_done(self) -> bool:
        return not (self.small.any() or self.big.any())

    def offers(self, seat: int, small: Ints, big: Ints) -> tuple[Flags, Ints]:
        """By lane and casino: whether dice may go there, and what it would pay each seat then."""
        more = small + 2 * big
        weights = self.weights.copy()
        weights[:, seat] += more
        return (more > 0) & ~self.closed, pay(weights, self.notes, self.players)

    def place(self, seat: int, rows: Index, casinos: Index, small: Ints, big: Ints, paid: Ints) -> None:
        """In these lanes, at these casinos; `paid` is what each would pay then."""
        few, one = small[rows, casinos], big[rows, casinos]
        self.weights[rows, seat, casinos] += few + 2 * one
        self.small[rows, seat] -= few
        self.big[rows, seat] -= one
        self.paid[rows, :, casinos] = paid[rows, :, casinos]

    def pass_turn(self, seat: int, rows: Index) -> None:
        self.chips[rows, seat] -= 1

    def won(self) -> Ints:
        """What every seat has of the casinos and of its chips."""
        found: Ints = self.paid.sum(axis=2) + CHIP * self.chips
        return found

    def count_won(self) -> Ints:
        """Notes and chips of each seat."""
        found: Ints = (self.paid > 0).sum(axis=2) + self.chips
        return found
