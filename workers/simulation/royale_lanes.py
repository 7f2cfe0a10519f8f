"""Holds many tables of Royale at once, and plays the rest of their rounds by a simple rule."""

from __future__ import annotations

from random import Random

import numpy as np
from numpy.typing import NDArray

from workers.simulation.lanes import count_faces, even_numbers

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
Index = NDArray[np.intp]

CASINOS = 6
# What passing costs, in thousands of dollars.
CHIP_THOUSANDS = 10
# The most weight that a seat can have at a casino, with the big die and two black ones.
MOST_DICE = 15
ONES = np.array([number.bit_count() for number in range(1 << MOST_DICE + 1)], np.int32)


def pay(weights: Ints, notes: Ints, players: int, fines: Ints | None = None) -> Ints:
    """Return what each casino pays each seat, by lane, seat and casino.

    The higher note goes to the seat with most dice, the other to the next, and tied seats get nothing.
    `weights` are by lane, owner and casino, with the seats before the imaginary players. The seats with the
    fewest dice pay the fine of a casino, if there are any `fines`, by lane and casino.
    """
    bits = np.where(weights > 0, np.left_shift(1, weights), 0)
    there = bits[:, 0]
    several = np.zeros_like(bits[:, 0])
    for owner in range(1, bits.shape[1]):
        several = several | (there & bits[:, owner])
        there = there | bits[:, owner]
    alone = (there & ~several)[:, None]
    above = ONES[alone >> (weights[:, :players] + 1)]
    won = np.where(above == 0, notes[:, None, :, 0], np.where(above == 1, notes[:, None, :, 1], 0))
    found: Ints = won * ((bits[:, :players] & alone) > 0)
    if fines is not None:
        own = weights[:, :players]
        found -= fines[:, None] * (own == own.min(axis=1, keepdims=True))
    return found


class RoyaleLanes:
    """Holds the tables by lane. Money is in thousands; `paid` is what each casino would pay each seat now."""

    def __init__(
        self,
        weights: Ints,
        hands: tuple[Ints, Ints],
        chips: Ints,
        notes: Ints,
        closed: Flags,
        fines: Ints,
    ) -> None:
        self.weights = weights
        self.fines = fines if fines.any() else None
        self.small, self.big = hands
        self.chips = chips
        self.notes = notes
        self.closed = closed
        self.players = chips.shape[1]
        self.paid = pay(weights, notes, self.players, self.fines)

    def has_dice(self, seat: int) -> Flags:
        """Return where the seat has dice, by lane."""
        return (self.small[:, seat] > 0) | (self.big[:, seat] > 0)

    @property
    def is_done(self) -> bool:
        """Return whether no seat has dice in any lane."""
        return not (self.small.any() or self.big.any())

    def offers(self, seat: int, small: Ints, big: Ints) -> tuple[Flags, Ints]:
        """Return where dice may go, by lane and casino, and what each casino would pay each seat then."""
        more = small + 2 * big
        weights = self.weights.copy()
        weights[:, seat] += more
        return (more > 0) & ~self.closed, pay(weights, self.notes, self.players, self.fines)

    def place(self, seat: int, rows: Index, casinos: Index, small: Ints, big: Ints, paid: Ints) -> None:
        """Place the seat's dice in these lanes, at these casinos; `paid` is what each would pay then."""
        few = small[rows, casinos]
        one = big[rows, casinos]
        self.weights[rows, seat, casinos] += few + 2 * one
        self.small[rows, seat] -= few
        self.big[rows, seat] -= one
        self.paid[rows, :, casinos] = paid[rows, :, casinos]

    def pass_turn(self, seat: int, rows: Index) -> None:
        """Pass the seat's turn in these lanes, which costs a chip."""
        self.chips[rows, seat] -= 1

    def fine_rows(self) -> Ints:
        """Return the fines, by lane and casino."""
        return np.zeros(self.notes.shape[:2], np.int32) if self.fines is None else self.fines

    def won(self) -> Ints:
        """Return what every seat gets of the casinos and has in chips, by lane and seat."""
        found: Ints = self.paid.sum(axis=2) + CHIP_THOUSANDS * self.chips
        return found

    def count_won(self) -> Ints:
        """Return the number of notes and chips of each seat, by lane and seat."""
        found: Ints = (self.paid > 0).sum(axis=2) + self.chips
        return found


SMALL_DICE = 7
# Seats may pass, so that the number of turns has no limit; after so many, hardly any dice are left.
MOST_TURNS = 14
# In thousands: the price of a die in hand, and the most that a random whim adds.
DIE = 8
WHIM = 8
# The best rival counts in full, all of them together a tenth; worth is in tenths of a thousand.
TENTHS = 10
NEVER = -(10**8)


# So many dice win the race for a token, and what some dice promise of it, in hundredths.
RACE = 5
PROMISES = np.array((0, 4, 10, 22, 45, *[0] * (MOST_DICE - 4)), np.int32)


class Rewards:
    """Holds what seats get for coming to casinos, in thousands, by lane and casino.

    `fixed` is for every seat that comes. The first seat with RACE dice wins the race of a casino. On a pay
    day a seat gets `days` for each casino where it has dice then.
    """

    def __init__(self, fixed: Ints, races: Ints, days: Ints) -> None:
        self.fixed = fixed
        self.races = races
        self.days = days
        self._is_race = bool(races.any())
        self._is_pay_day = bool(days.any())

    def wins_race(self, dice: Ints) -> Flags:
        """Return where so many dice win a race."""
        return dice >= RACE

    def offers(self, own: Ints, more: Ints) -> Ints:
        """Return what a seat with these dice gets for coming with more, by lane and casino."""
        found = self.fixed
        if self._is_race:
            found = found + self.races * self.wins_race(own + more)
        if self._is_pay_day:
            there = own > 0
            found = found + self.days * (there.sum(axis=1, keepdims=True) + ~there)
        return found

    def promises(self, own: Ints, more: Ints) -> Ints | int:
        """Return what more dice promise a seat of the races that it has not won yet, by lane and casino."""
        if not self._is_race:
            return 0
        return self.races * (PROMISES[own + more] - PROMISES[own]) // 100

    def take(self, rows: Index, casinos: Index, dice: Ints) -> None:
        """End the races that are won with so many dice at these casinos."""
        if self._is_race:
            self.races[rows, casinos] *= ~self.wins_race(dice)


class RoyaleRest:
    """Plays the rest of the round by a simple rule.

    `extra` is what seats have besides. Lanes of the same playout have the same luck.
    """

    def __init__(
        self, lanes: RoyaleLanes, extra: Ints, rewards: Rewards, playouts: int, chance: Random
    ) -> None:
        self._lanes = lanes
        self._playouts = playouts
        self._chance = chance
        self._rewards = rewards
        self.extra = extra
        self._number = np.tile(np.arange(playouts), len(extra) // playouts)

    def play(self, order: tuple[int, ...], rolls: Flags) -> None:
        """Play until no seat has dice.

        In the lanes of `rolls` the last seat in order has a turn before the first.
        """
        if rolls.any():
            self.take_turn(order[-1], rolls)
        for _ in range(MOST_TURNS):
            for seat in order:
                self.take_turn(seat, self._lanes.has_dice(seat))
            if self._lanes.is_done:
                return

    def take_turn(self, seat: int, playing: Flags) -> None:
        """Play one turn of the seat in these lanes: it places dice, or passes if that costs less."""
        small, big = roll_dice(self._lanes, seat, self._number, self._playouts, self._chance)
        dice = small + 2 * big
        own = self._lanes.weights[:, seat]
        rewards = self._rewards.offers(own, dice)
        legal, paid = self._lanes.offers(seat, small, big)
        hopes = rewards + self._rewards.promises(own, dice)
        worth = np.where(legal, self._worth(seat, dice, paid, hopes), NEVER)
        best = worth.argmax(axis=1)
        most = worth.max(axis=1)
        passes = playing & (self._lanes.chips[:, seat] > 0) & (most < -TENTHS * CHIP_THOUSANDS)
        rows = np.flatnonzero(playing & ~passes & (most > NEVER))
        self._lanes.place(seat, rows, best[rows], small=small, big=big, paid=paid)
        self.extra[rows, seat] += rewards[rows, best[rows]]
        self._rewards.take(rows, best[rows], self._lanes.weights[rows, seat, best[rows]])
        self._lanes.pass_turn(seat, np.flatnonzero(passes))

    def _worth(self, seat: int, dice: Ints, paid: Ints, rewards: Ints) -> Ints:
        """Return what placing at each casino is worth, less the price of the dice, by lane and casino."""
        whims = even_numbers(self._chance, TENTHS * WHIM, self._playouts, CASINOS)[self._number]
        return self._gain(seat, paid) + TENTHS * (rewards - DIE * dice) + whims

    def _gain(self, seat: int, paid: Ints) -> Ints:
        """Return how much better the seat would stand against its rivals, by lane and casino."""
        now = (self._lanes.won() + self.extra)[:, :, None]
        return _stand(seat, now + paid - self._lanes.paid) - _stand(seat, now)


def roll_dice(
    lanes: RoyaleLanes, seat: int, number: Index, playouts: int, chance: Random
) -> tuple[Ints, Ints]:
    """Return the seat's small dice and its big one, by lane and face.

    `number` is the playout of each lane.
    """
    counted = count_faces(even_numbers(chance, CASINOS, playouts, SMALL_DICE))
    small = counted[number, lanes.small[:, seat]]
    face = even_numbers(chance, CASINOS, playouts)[number, None]
    big = (face == np.arange(CASINOS)) & (lanes.big[:, seat, None] > 0)
    return small, big.astype(np.int32)


def _stand(seat: int, sums: Ints) -> Ints:
    """Return how the seat stands against its rivals, by lane and casino.

    `sums` are by lane, seat and casino.
    """
    rivals = np.delete(sums, seat, axis=1)
    found: Ints = TENTHS * (sums[:, seat] - rivals.max(axis=1)) - rivals.sum(axis=1)
    return found
