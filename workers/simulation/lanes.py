"""Holds many tables of one round at once, as arrays with a lane for each playout."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any, Protocol

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

Ints = NDArray[np.integer[Any]]

# One more than the most dice that an owner has at a casino: eight, with the big one counted twice.
BASE = 9


def place_values(owners: int) -> Ints:
    """Return what one die of each owner adds to the number that stands for the dice at a casino."""
    return BASE ** np.arange(owners, dtype=np.int32)


@cache
def dice_table(owners: int) -> NDArray[np.uint8]:
    """Return how many dice every owner has, for each number that stands for the dice at a casino."""
    numbers = np.arange(BASE**owners, dtype=np.int32)
    return np.stack([(numbers // value % BASE).astype(np.uint8) for value in place_values(owners)], axis=1)


@cache
def rank_table(owners: int) -> NDArray[np.uint8]:
    """Return the rank of every owner, from 0 on, for each number that stands for the dice at a casino.

    An owner who is not paid has the rank `owners`.
    """
    dice = list(dice_table(owners).T.astype(np.int32))
    alone = [_is_alone(owner, dice) for owner in range(owners)]
    return np.stack([_rank(owner, dice, alone) for owner in range(owners)], axis=1)


def _is_alone(owner: int, dice: list[Ints]) -> NDArray[np.bool_]:
    """Return where the owner has dice and no other owner has as many (D3)."""
    own = dice[owner]
    alone = own > 0
    for other, theirs in enumerate(dice):
        if other != owner:
            alone &= theirs != own
    return alone


def _rank(owner: int, dice: list[Ints], alone: list[NDArray[np.bool_]]) -> NDArray[np.uint8]:
    """Return the owner's rank among those who are paid."""
    rank = np.zeros(len(dice[owner]), np.uint8)
    for other, theirs in enumerate(dice):
        rank += alone[other] & (theirs > dice[owner])
    rank[~alone[owner]] = len(dice)
    return rank


_FACES = np.arange(1, 7, dtype=np.int32)


def merit(weight: int, pips: int, highest: int) -> int:
    """Return one number that ranks stacks at the bandit by weight, then pips, then the highest face."""
    return (weight * 512 + pips) * 8 + highest


class BanditLanes:
    """Holds the bandit: `merits` by lane and seat, `taken` by lane and face, two notes by lane or for all."""

    def __init__(self, merits: Ints, taken: NDArray[np.bool_], notes: Ints) -> None:
        self.merits = merits
        self.taken = taken
        self.notes = notes

    def merits_after(self, seat: int, weight: Ints) -> Ints:
        """Return the seat's merits, by lane and face, if it placed the dice of that face here."""
        now = self.merits[:, seat, None]
        return (((now >> 3) + weight * (512 + _FACES)) << 3) | np.maximum(now & 7, _FACES)

    def pay_each(self, seat: int, merits: Ints) -> Ints:
        """Return what each seat would be paid, by lane, face and seat, if the seat's merits became these."""
        return self.pay(self.after(seat, merits))

    def after(self, seat: int, merits: Ints | None) -> Ints:
        """Return the merits of all seats, by lane and face, if the seat's became these."""
        after = np.repeat(self.merits[:, None], 6, axis=1)
        if merits is not None:
            after[:, :, seat] = merits
        return after

    def pay(self, merits: Ints) -> Ints:
        """Return what the bandit pays each seat with these merits; only two ranks are paid."""
        ranks = (merits[..., None, :] > merits[..., :, None]).sum(axis=-1)
        first, second = (self.notes[:, rank].reshape(-1, *[1] * (merits.ndim - 1)) for rank in (0, 1))
        paid = np.where(ranks == 0, first, np.where(ranks == 1, second, 0)).astype(np.int32)
        return np.where(merits > 0, paid, 0)

    def select(self, rows: Ints) -> BanditLanes:
        """Return a copy of these lanes."""
        notes = self.notes if len(self.notes) == 1 else self.notes[rows]
        return BanditLanes(self.merits[rows], self.taken[rows], notes)

    @staticmethod
    def join(tables: list[BanditLanes]) -> BanditLanes:
        """Return one bandit with the lanes of all these."""
        return BanditLanes(
            np.concatenate([table.merits for table in tables]),
            np.concatenate([table.taken for table in tables]),
            np.concatenate([table.notes for table in tables]),
        )

    def take(self, seat: int, merits: Ints, rows: Ints, face: Ints) -> None:
        """Place the seat's dice of these faces, in these lanes."""
        self.merits[rows, seat] = merits[rows, face]
        self.taken[rows, face] = True


COLOURS = 5
# What so many cards of one colour are worth, in thousands.
SETS = np.array([0, 10, 30, 60, 100, 150], np.int32)
ENOUGH_DICE = 2


class Placed(Protocol):
    """Describes rolled dice as chip cards need them: the seat's own weight, and white dice."""

    @property
    def weight(self) -> Ints: ...

    @property
    def white(self) -> Ints | None: ...


class ChipLanes:
    """Holds chip cards: `lying` by lane, casino and colour, `held` by lane, seat and colour."""

    def __init__(self, lying: Ints, held: Ints, white_counts: bool) -> None:
        self.lying = lying
        self.held = held
        self._white_counts = white_counts

    def select(self, rows: Ints) -> ChipLanes:
        """Return a copy of these lanes."""
        return ChipLanes(self.lying[rows], self.held[rows], self._white_counts)

    def worth(self) -> Ints:
        """Return what the chip cards of each seat are worth, by lane and seat."""
        return SETS[self.held].sum(axis=2, dtype=np.int32)

    def bonus(self, seat: int, rolled: Placed) -> Ints:
        """Return what the best card that may be taken adds, by lane and casino."""
        best = self._added(seat).max(axis=2)
        return np.where(self._earns(rolled), np.maximum(best, 0), 0)

    def take(self, seat: int, rolled: Placed, rows: Ints, face: Ints) -> None:
        """Take the best card that is earned by placing these faces, in these lanes."""
        added = self._added(seat)[rows, face]
        colour = added.argmax(axis=1)
        earned = self._earns(rolled)[rows, face] & (added.max(axis=1) > 0)
        rows = rows[earned]
        face = face[earned]
        colour = colour[earned]
        self.lying[rows, face, colour] -= 1
        self.held[rows, seat, colour] += 1

    def _added(self, seat: int) -> Ints:
        """Return what each colour would add where a card of it lies, by lane, casino and colour.

        A set of n cards is worth 10 × n thousands more than one of n - 1.
        """
        more = 10 * (self.held[:, seat] + 1)
        return np.where(self.lying > 0, more[:, None], 0)

    def _earns(self, rolled: Placed) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Return where enough dice are placed to earn a card, by lane and casino."""
        counted = (
            rolled.weight if rolled.white is None or not self._white_counts else rolled.weight + rolled.white
        )
        return counted >= ENOUGH_DICE


Flags = NDArray[np.bool_]


class Rolled(Struct, frozen=True):
    """Holds a roll, by lane and face: the seat's small and big dice, white dice, and its own weight."""

    small: Ints
    big: Ints | None
    white: Ints | None
    weight: Ints


class Offers(Struct, frozen=True):
    """Holds what may be done with a roll and what it changes, by lane and option.

    The options are the casinos and then the bandit's faces. `paid` is what each seat would get at that place,
    and `gain` how much more it would have than now, with the best chip card that comes with it. Money is in
    thousands.
    """

    rolled: Rolled
    legal: Flags
    paid: Ints
    gain: Ints
    codes: Ints
    merits: Ints | None


class Lanes:
    """Holds the tables of all lanes.

    The dice at a casino are one number, and `paid` is what every place would pay each seat now.
    """

    def __init__(
        self, players: int, codes: Ints, hands: tuple[Ints, Ints | None, Ints | None], notes: Ints
    ) -> None:
        """Build lanes.

        `notes` are by lane (or one for all), casino and rank, with a last rank that gets nothing.
        """
        self.players = players
        self.codes = codes
        self.notes = notes
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
        """Add the bandit as a seventh place."""
        self.bandit = bandit
        self.paid = np.concatenate([self.paid, bandit.pay(bandit.merits)[:, None]], axis=1)

    def select(self, rows: Ints) -> Lanes:
        """Return a copy of these lanes."""
        big, white = (None if dice is None else dice[rows] for dice in (self.big, self.white))
        notes = self.notes if len(self.notes) == 1 else self.notes[rows]
        found = Lanes(self.players, self.codes[rows], (self.small[rows], big, white), notes)
        if self.bandit is not None:
            found.add_bandit(self.bandit.select(rows))
        found.chips = None if self.chips is None else self.chips.select(rows)
        return found

    def _pay(self, codes: Ints) -> Ints:
        """Return what each casino pays each seat, for the numbers that stand for its dice."""
        ranks = self._ranks.take(codes, axis=0)
        return self._notes.take(ranks + self._first_notes)

    def is_done(self) -> bool:
        """Return whether no seat has dice in any lane."""
        return not (self.small.any() or _any(self.big) or _any(self.white))

    def has_dice(self, seat: int) -> Flags:
        """Return where the seat has dice, by lane."""
        found = self.small[:, seat] > 0
        for dice in (self.big, self.white):
            if dice is not None:
                found |= dice[:, seat] > 0
        return found

    def offers(self, seat: int, rolled: Rolled) -> Offers:
        """Return the seat's options with this roll."""
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
        """Return the offers with those of the bandit: each face may go there unless it lies there already."""
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
        """Carry out these options of the seat in these lanes; the other lanes do not change."""
        rolled = offers.rolled
        face = chosen % 6
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
            rows = rows[~there]
            face = face[~there]
        self.codes[rows, face] = offers.codes[rows, face]

    def won(self) -> Ints:
        """Return what every seat gets this round, with chip cards, by lane and seat."""
        money = self.paid.sum(axis=1, dtype=np.int32)
        return money if self.chips is None else money + self.chips.worth()

    def notes_won(self) -> Ints:
        """Return how many notes every seat gets this round, by lane and seat."""
        return (self.paid > 0).sum(axis=1, dtype=np.int32)


def _any(dice: Ints | None) -> bool:
    """Return whether there are dice of this kind in any lane."""
    return dice is not None and bool(dice.any())


FACES = 6
Counts = NDArray[np.int32]


def even_numbers(chance: Random, bound: int, *shape: int) -> Counts:
    """Return random numbers below the bound, from two bytes each: even to one in ten thousand."""
    raw = np.frombuffer(chance.randbytes(2 * int(np.prod(shape))), "<u2").reshape(shape)
    return (raw.astype(np.int32) * bound) >> 16


def count_faces(faces: Ints) -> Counts:
    """Return how often each face shows among the first 0, 1, 2, … of the dice on the last axis."""
    shown = faces[..., None] == np.arange(FACES)
    counted = np.zeros((*faces.shape[:-1], faces.shape[-1] + 1, FACES), np.int32)
    np.cumsum(shown, axis=-2, out=counted[..., 1:, :])
    return counted


class Luck:
    """Holds the random numbers of all playouts, by turn and playout: small, white and big dice, and whims."""

    def __init__(
        self, chance: Random, turns: int, playouts: int, most: tuple[int, int, int], whim: int
    ) -> None:
        small, big, white = most
        self.small = count_faces(even_numbers(chance, FACES, turns, playouts, small))
        self.white = count_faces(even_numbers(chance, FACES, turns, playouts, white))
        self.big = even_numbers(chance, FACES, turns, playouts) if big else None
        self.whims = even_numbers(chance, whim, turns, playouts, 2 * FACES)
