"""Holds tables of the card game in lanes: what lies where, what a hand allows, and what a casino pays."""

from __future__ import annotations

from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

CardCounts = NDArray[np.int16]

CASINOS = 6
HAND = 5
MOST_DICE = 6
# A set of numbers of dice is a bit mask. Two sets describe the rivals at a casino, see `note_winners`.
SETS = 1 << MOST_DICE
BIT = np.array([0, *(1 << dice for dice in range(MOST_DICE))], np.int16)
NOBODY, SELF, RIVAL = range(3)
# What a dollar of one's own counts, and what one of a rival counts against it, by the number of rivals.
OWN = 10
RIVALS_TENTHS = {1: 10, 2: 6, 3: 5, 4: 4}


def note_winners(alone: int, there: int, own: int) -> tuple[int, int]:
    """Return who takes the higher and the lower note: NOBODY, SELF or RIVAL.

    `there` and `alone` are sets of numbers of dice: those that rivals have, and those that only one rival
    has.
    """
    weights = [dice for dice in range(1, MOST_DICE + 1) if alone & int(BIT[dice]) and dice != own]
    ranked = dict.fromkeys(weights, RIVAL)
    if own and not there & int(BIT[own]):
        ranked[own] = SELF
    first, second, *_ = (*(ranked[dice] for dice in sorted(ranked, reverse=True)), NOBODY, NOBODY)
    return first, second


@cache
def winners() -> CardCounts:
    """Return who takes both notes, for all sets of rivals' dice and all numbers of own dice."""
    table = np.zeros((SETS, SETS, MOST_DICE + 1, 2), np.int16)
    for there in range(SETS):
        for alone in (part for part in range(SETS) if part & ~there == 0):
            table[alone, there] = [note_winners(alone, there, own) for own in range(MOST_DICE + 1)]
    return table.reshape(SETS * SETS * (MOST_DICE + 1), 2)


@cache
def gains(rivals: int) -> CardCounts:
    """Return what more dice bring than now, by note, the rivals' sets, own dice and added dice.

    OWN stands for the whole value of the note.
    """
    worth = np.array([0, OWN, -RIVALS_TENTHS[rivals]], np.int16)[winners()]
    worth = worth.reshape(SETS * SETS, MOST_DICE + 1, 2)
    found = np.zeros((SETS * SETS, MOST_DICE + 1, MOST_DICE + 1, 2), np.int16)
    for own in range(MOST_DICE + 1):
        for more in range(MOST_DICE + 1 - own):
            found[:, own, more] = worth[:, own + more] - worth[:, own]
    return np.ascontiguousarray(found.reshape(-1, MOST_DICE + 1, 2).transpose(2, 0, 1))


def index_sets(weights: CardCounts, seat: int) -> NDArray[np.intp]:
    """Return the index of a seat's situation in these tables, by lane and casino.

    `weights` are by lane, seat and casino.
    """
    there = np.zeros(weights.shape[::2], np.int16)
    several = there
    for rival in (other for other in range(weights.shape[1]) if other != seat):
        bits = BIT[weights[:, rival]]
        several = several | (there & bits)
        there = there | bits
    alone = there & ~several
    key = (alone.astype(np.intp) * SETS + there) * (MOST_DICE + 1)
    return key + weights[:, seat]


ENOUGH_CARDS = 8
MOST_TURNS = 6
ENOUGH_DICE = 2
# What so many chip cards of one colour are worth, in thousands of dollars.
SETS_PAY = np.array([0, 10, 30, 60, 100, 150, 150], np.int16)


class CardLanes:
    """Holds the tables: by lane and seat, the dice at each casino, the cards laid, and chip cards.

    `lying` are the chip cards at casinos by colour, and `owned` those of seats. Notes are in thousands of
    dollars, the higher one of each casino first.
    """

    def __init__(
        self, dice: CardCounts, laid: CardCounts, notes: CardCounts, lying: CardCounts, owned: CardCounts
    ) -> None:
        self.dice = dice
        self.laid = laid
        self.notes = notes
        self.lying = lying
        self.owned = owned

    def repeat(self, lanes: int) -> CardLanes:
        """Return each lane so many times."""
        parts = (self.dice, self.laid, self.lying, self.owned)
        dice, laid, lying, owned = (np.repeat(part, lanes, axis=0) for part in parts)
        return CardLanes(dice, laid, self.notes, lying, owned)

    @property
    def has_chips(self) -> bool:
        """Return whether a chip card lies at any casino, in any lane."""
        return bool(self.lying.any())

    def lay(self, seat: int, dice: CardCounts, cards: CardCounts) -> None:
        """Add the seat's dice to the casinos, and count the cards that it laid."""
        self.dice[:, seat] += dice
        self.laid[:, seat] += cards

    def plays_on(self, seat: int) -> NDArray[np.bool_]:
        """Return where the seat may still lay cards, by lane."""
        return self.laid[:, seat] < ENOUGH_CARDS

    def best_chips(self, seat: int) -> tuple[NDArray[np.intp], CardCounts]:
        """Return the colour at each casino that raises the seat's sets most, and by how much.

        Where no card lies, the amount is 0.
        """
        owned = self.owned[:, seat]
        more = (SETS_PAY[owned + 1] - SETS_PAY[owned])[:, None, :] * (self.lying > 0)
        colours = more.argmax(axis=2)
        return colours, np.take_along_axis(more, colours[..., None], axis=2)[..., 0]

    def take_chips(self, seat: int, brought: NDArray[np.bool_]) -> None:
        """Take the best colour at each of these casinos for the seat, at the lower numbers first."""
        for casino in np.flatnonzero(brought.any(axis=0)):
            colours, more = self.best_chips(seat)
            lanes = np.flatnonzero(brought[:, casino] & (more[:, casino] > 0))
            self.take_chip(seat, int(casino), lanes, colours[lanes, casino])

    def take_chip(
        self, seat: int, casino: int, lanes: NDArray[np.intp], colours: NDArray[np.intp] | int
    ) -> None:
        """Move a chip card of this colour from the casino to the seat, in these lanes."""
        self.lying[lanes, casino, colours] -= 1
        self.owned[lanes, seat, colours] += 1

    def pay_out(self) -> tuple[CardCounts, CardCounts]:
        """Return what each seat wins in notes, and how many notes, by lane and seat."""
        won = [winners()[index_sets(self.dice, seat)] == SELF for seat in range(self.dice.shape[1])]
        money = [(mine * self.notes).sum(axis=(1, 2), dtype=np.int16) for mine in won]
        count = [mine.sum(axis=(1, 2), dtype=np.int16) for mine in won]
        return np.stack(money, axis=1), np.stack(count, axis=1)

    def sets(self) -> CardCounts:
        """Return what the chip cards of each seat are worth, by lane and seat."""
        found: CardCounts = SETS_PAY[self.owned].sum(axis=2, dtype=np.int16)
        return found


# Ways to play one number: so many single cards, or the double and so many less one.
SELECTION_SIZES = np.array([1, 2, 3, 4, 1, 2, 3, 4, 5], np.int16)
DICE = np.array([1, 2, 3, 4, 2, 3, 4, 5, 6], np.int16)
WAYS = len(SELECTION_SIZES)
DOUBLE = 4


class Hand(Struct, frozen=True):
    """Holds a hand, by lane and casino: the number of single cards, and whether the double is there."""

    singles: CardCounts
    doubles: CardCounts


def playable(hand: Hand) -> NDArray[np.bool_]:
    """Return which ways to play each number the hand allows, by lane, casino and way."""
    singles = hand.singles[..., None]
    doubles = hand.doubles[..., None]
    return np.concatenate(
        (singles >= SELECTION_SIZES[:4], (doubles > 0) & (singles >= SELECTION_SIZES[4:] - 1)), axis=2
    )


class Selection(Struct, frozen=True):
    """Holds what a seat plays, by lane: the dice at each casino, and how many cards they take."""

    dice: CardCounts
    cards: CardCounts
