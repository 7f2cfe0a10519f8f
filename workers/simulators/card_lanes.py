"""Many rounds of the card game side by side, in whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workers.simulators.card_ranks import SELF, Whole, index_sets, winners

ENOUGH_CARDS, MOST_TURNS = 8, 6
ENOUGH_DICE = 2
# What so many chip cards of one colour are worth, in thousands of dollars.
SETS_PAY = np.array([0, 10, 30, 60, 100, 150, 150], np.int16)


class Lanes:
    """By lane and seat: dice at each casino and cards laid; chip cards by colour, there and owned.

    Notes are in thousands of dollars, the higher one of each casino first.
    """

    def __init__(self, dice: Whole, laid: Whole, notes: Whole, lying: Whole, owned: Whole) -> None:
        self.dice, self.laid, self.notes, self.lying, self.owned = dice, laid, notes, lying, owned

    def repeat(self, lanes: int) -> Lanes:
        """Each lane so many times."""
        parts = (self.dice, self.laid, self.lying, self.owned)
        dice, laid, lying, owned = (np.repeat(part, lanes, axis=0) for part in parts)
        return Lanes(dice, laid, self.notes, lying, owned)

    @property
    def has_chips(self) -> bool:
        return bool(self.lying.any())

    def lay(self, seat: int, dice: Whole, cards: Whole) -> None:
        self.dice[:, seat] += dice
        self.laid[:, seat] += cards

    def plays_on(self, seat: int) -> NDArray[np.bool_]:
        return self.laid[:, seat] < ENOUGH_CARDS

    def best_chips(self, seat: int) -> tuple[NDArray[np.intp], Whole]:
        """At each casino the colour that raises the seat's sets most, and by how much; 0 where none lies."""
        owned = self.owned[:, seat]
        more = (SETS_PAY[owned + 1] - SETS_PAY[owned])[:, None, :] * (self.lying > 0)
        colours = more.argmax(axis=2)
        return colours, np.take_along_axis(more, colours[..., None], axis=2)[..., 0]

    def take_chips(self, seat: int, brought: NDArray[np.bool_]) -> None:
        """The best colour at each of these casinos, at the lower one first."""
        for casino in np.flatnonzero(brought.any(axis=0)):
            colours, more = self.best_chips(seat)
            lanes = np.flatnonzero(brought[:, casino] & (more[:, casino] > 0))
            self.take_chip(seat, int(casino), lanes, colours[lanes, casino])

    def take_chip(
        self, seat: int, casino: int, lanes: NDArray[np.intp], colours: NDArray[np.intp] | int
    ) -> None:
        self.lying[lanes, casino, colours] -= 1
        self.owned[lanes, seat, colours] += 1

    def pay_out(self) -> tuple[Whole, Whole]:
        """What each seat wins in notes, and how many of them."""
        won = [winners()[index_sets(self.dice, seat)] == SELF for seat in range(self.dice.shape[1])]
        money = [(mine * self.notes).sum(axis=(1, 2), dtype=np.int16) for mine in won]
        count = [mine.sum(axis=(1, 2), dtype=np.int16) for mine in won]
        return np.stack(money, axis=1), np.stack(count, axis=1)

    def sets(self) -> Whole:
        """What the chip cards of each seat are worth."""
        found: Whole = SETS_PAY[self.owned].sum(axis=2, dtype=np.int16)
        return found
