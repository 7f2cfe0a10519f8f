"""Many tables of one round at once, a lane each: what a roll offers a seat, and what it takes of it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from workers.simulators.bandit_lanes import BanditLanes
from workers.simulators.chip_lanes import ChipLanes
from workers.simulators.ranks import Ints, place_values, rank_table

Flags = NDArray[np.bool_]


class Rolled(Struct, frozen=True):
    """By lane and face: the seat's small and big dice, the white ones, and what its own weigh."""

    small: Ints
    big: Ints | None
    white: Ints | None
    weight: Ints


class Offers(Struct, frozen=True):
    """By lane and option, casinos first and then the bandit's faces: what may be done, and what it changes.

    `paid` is what each seat would get at that place, `gain` how much more it would have than now, with the
    best chip card that comes with it. Money is in thousands.
    """

    rolled: Rolled
    legal: Flags
    paid: Ints
    gain: Ints
    codes: Ints
    merits: Ints | None


class Lanes:
    """Weights at the casinos are kept as one number each; `paid` is what every place would pay each seat."""

    def __init__(
        self, players: int, codes: Ints, hands: tuple[Ints, Ints | None, Ints | None], notes: Ints
    ) -> None:
        """`notes` by lane (or one for all), casino and rank, with one more rank that gets nothing."""
        self.players, self.codes, self.notes = players, codes, notes
        self.small, self.big, self.white = hands
        self.owners = owners = notes.shape[2] - 1
        self._values = place_values(owners)
        self._ranks = np.ascontiguousarray(rank_table(owners)[:, :players])
        self._notes = np.ascontiguousarray(notes).reshape(-1)
        first = np.arange(notes.shape[0] * 6, dtype=np.int32).reshape(-1, 6, 1) * (owners + 1)
        self._first_notes = np.broadcast_to(first, (len(codes), 6, 1))
        self.paid = self._pay(codes)
        self.bandit: BanditLanes | None = None
        self.chips: ChipLanes | None = None

    def add_bandit(self, bandit: BanditLanes) -> None:
        self.bandit = bandit
        self.paid = np.concatenate([self.paid, bandit.pay(bandit.merits)[:, None]], axis=1)

    def select(self, rows: Ints) -> Lanes:
        """Only these lanes, apart from the others."""
        big, white = (None if dice is None else dice[rows] for dice in (self.big, self.white))
        notes = self.notes if len(self.notes) == 1 else self.notes[rows]
        found = Lanes(self.players, self.codes[rows], (self.small[rows], big, white), notes)
        if self.bandit is not None:
            found.add_bandit(self.bandit.select(rows))
        found.chips = None if self.chips is None else self.chips.select(rows)
        return found

    def _pay(self, codes: Ints) -> Ints:
        ranks = self._ranks.take(codes, axis=0)
        return self._notes.take(ranks + self._first_notes)

    def is_done(self) -> bool:
        return not (self.small.any() or _any(self.big) or _any(self.white))

    def has_dice(self, seat: int) -> Flags:
        found = self.small[:, seat] > 0
        for dice in (self.big, self.white):
            if dice is not None:
                found |= dice[:, seat] > 0
        return found

    def offers(self, seat: int, rolled: Rolled) -> Offers:
        codes = self.codes + rolled.weight * self._values[seat]
        legal = rolled.weight > 0
        if rolled.white is not None:
            codes += rolled.white * self._values[-1]
            legal |= rolled.white > 0
        paid = self._pay(codes)
        gain = paid - self.paid[:, :6]
        if self.chips is not None:
            gain[:, :, seat] += self.chips.bonus(seat, rolled)
        offers = Offers(rolled, legal, paid, gain, codes, None)
        return offers if self.bandit is None else self._with_bandit(self.bandit, seat, offers)

    def _with_bandit(self, bandit: BanditLanes, seat: int, offers: Offers) -> Offers:
        """Each face may go there, too, unless somebody has brought it."""
        merits = bandit.merits_after(seat, offers.rolled.weight)
        there = bandit.pay_each(seat, merits)
        return replace(
            offers,
            legal=np.concatenate([offers.legal, offers.legal & ~bandit.taken], axis=1),
            paid=np.concatenate([offers.paid, there], axis=1),
            gain=np.concatenate([offers.gain, there - self.paid[:, 6:7]], axis=1),
            merits=merits,
        )

    def take(self, seat: int, offers: Offers, rows: Ints, chosen: Ints) -> None:
        """In these lanes the seat takes these options; elsewhere nothing happens."""
        rolled, face = offers.rolled, chosen % 6
        self.small[rows, seat] -= rolled.small[rows, face]
        if self.big is not None and rolled.big is not None:
            self.big[rows, seat] -= rolled.big[rows, face]
        if self.white is not None and rolled.white is not None:
            self.white[rows, seat] -= rolled.white[rows, face]
        self.paid[rows, np.minimum(chosen, 6)] = offers.paid[rows, chosen]
        if self.chips is not None:
            self.chips.take(seat, offers.rolled, rows, face)
        if self.bandit is not None and offers.merits is not None:
            there = chosen >= 6
            self.bandit.take(seat, offers.merits, rows[there], face[there])
            rows, face = rows[~there], face[~there]
        self.codes[rows, face] = offers.codes[rows, face]

    def won(self) -> Ints:
        """What every seat gets this round, chip cards included, by lane."""
        money = self.paid.sum(axis=1, dtype=np.int32)
        return money if self.chips is None else money + self.chips.worth()

    def notes_won(self) -> Ints:
        return (self.paid > 0).sum(axis=1, dtype=np.int32)


def _any(dice: Ints | None) -> bool:
    return dice is not None and bool(dice.any())
