"""A small neural net that values a table after a move, and its inputs.

All of it is whole multiples of a power of two, so that sums of it are exact on every machine.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from workers.simulation.lanes import BanditLanes, Ints, Lanes, Offers, dice_table
from workers.simulation.winning import STANDING_TEMPERATURES

Floats = NDArray[np.floating]

# Of a place: own dice, tied, leading, own money, three notes, white dice, whether it is the bandit.
OF_PLACE = 9
OF_OPPONENT = 4
# Own small and big dice, none left, the dice of all others, the last round.
OF_HAND = 5
# With the last round's own: there every note counts.
_LAST_ROUND = 16
_NEAREST = -15
_FURTHEST = 15


class Stakes(Struct, frozen=True):
    """By lane, or one for all: what everybody had before the round, and the rounds to come after it."""

    cash: Ints
    rounds_left: Ints


class Sights(Struct, frozen=True):
    """For each pair of a lane and an option: the places after it, the hands, and the standing."""

    places: Floats
    hand: Floats
    standing: Floats


def widths(players: int) -> tuple[int, int, int]:
    """How many inputs each of the three has."""
    return OF_PLACE + OF_OPPONENT * (players - 1), OF_HAND, 2 * players + 7


def look(lanes: Lanes, seat: int, offers: Offers, stakes: Stakes, pairs: tuple[Ints, ...]) -> Sights:
    """After the seat took these options in these lanes."""
    lane, option = pairs
    others = [(seat + step) % lanes.players for step in range(1, lanes.players)]
    before = _see_places(lanes, seat, others, stakes, None)
    after = _see_places(lanes, seat, others, stakes, offers)
    places = before[lane]
    places[np.arange(len(lane)), np.minimum(option, 6)] = after[lane, option]
    return Sights(places, *_see_hands(lanes, seat, others, offers, stakes, pairs))


def _see_places(lanes: Lanes, seat: int, others: list[int], stakes: Stakes, offers: Offers | None) -> Floats:
    """By lane and place as they are, or by lane and option as they would become."""
    codes, paid = (lanes.codes, lanes.paid) if offers is None else (offers.codes, offers.paid)
    dice = dice_table(lanes.owners).take(codes, axis=0)
    seen = _see(lanes, dice, paid[:, :6], seat, others, stakes)
    notes = np.broadcast_to(lanes.notes[..., :3], (len(codes), 6, min(3, lanes.notes.shape[2])))
    seen[..., 4 : 4 + notes.shape[2]] = notes / 64
    if lanes.owners > lanes.players:
        seen[..., 7] = dice[..., -1] / 4
    return (
        seen
        if lanes.bandit is None
        else np.concatenate([seen, _see_bandit(lanes.bandit, lanes, seat, others, stakes, offers)], axis=1)
    )


def _see_bandit(
    bandit: BanditLanes, lanes: Lanes, seat: int, others: list[int], stakes: Stakes, offers: Offers | None
) -> Floats:
    """The dice of everybody there, whatever they show."""
    paid = lanes.paid if offers is None else offers.paid
    merits = bandit.merits[:, None] if offers is None else bandit.after(seat, offers.merits)
    seen = _see(lanes, (merits >> 12).astype(np.uint8), paid[:, 6:], seat, others, stakes)
    seen[..., 4:6] = bandit.notes[:, None] / 64
    seen[..., 8] = 1
    return seen


def _see(
    lanes: Lanes, dice: NDArray[np.uint8], paid: Ints, seat: int, others: list[int], stakes: Stakes
) -> Floats:
    own = dice[..., seat]
    theirs = dice[..., others]
    seen = np.zeros((*own.shape, OF_PLACE + OF_OPPONENT * len(others)), np.float32)
    seen[..., 0] = own / 4
    seen[..., 1] = (theirs == own[..., None]).any(axis=-1) & (own > 0)
    seen[..., 2] = (own[..., None] > theirs).all(axis=-1)
    seen[..., 3] = paid[..., seat] / 64
    _see_others(seen, _pack(lanes, theirs, paid[..., others], seat, others, stakes))
    return seen


def _pack(
    lanes: Lanes, theirs: NDArray[np.uint8], paid: Ints, seat: int, others: list[int], stakes: Stakes
) -> Ints:
    """One number for all that is seen of an opponent, so that sorting by dice keeps it together."""
    behind = np.clip((stakes.cash[:, others] - stakes.cash[:, seat, None]) // 10, _NEAREST, _FURTHEST) + 16
    hand = hands(lanes)[:, others]
    return (theirs.astype(np.int32) << 20) | ((hand << 16) | behind)[:, None] | (paid << 8)


def _see_others(seen: Floats, packed: Ints) -> None:
    packed.sort(axis=-1)
    first = OF_PLACE
    for number in reversed(range(packed.shape[-1])):
        one = packed[..., number]
        seen[..., first] = (one >> 20) / 4
        seen[..., first + 1] = ((one >> 16) & 15) / 4
        seen[..., first + 2] = ((one >> 8) & 255) / 64
        seen[..., first + 3] = ((one & 255) - 16) / 8
        first += OF_OPPONENT


def hands(lanes: Lanes) -> Ints:
    return lanes.small if lanes.big is None else lanes.small + 2 * lanes.big


def _see_hands(
    lanes: Lanes, seat: int, others: list[int], offers: Offers, stakes: Stakes, pairs: tuple[Ints, ...]
) -> tuple[Floats, Floats]:
    lane, option = pairs
    face = option % 6
    rolled = offers.rolled
    players = lanes.players
    left = np.broadcast_to(stakes.rounds_left, len(lanes.codes))[lane]
    small = lanes.small[lane, seat] - rolled.small[lane, face]
    big = np.zeros_like(small)
    if lanes.big is not None:
        big = lanes.big[lane, seat] - (0 if rolled.big is None else rolled.big[lane, face])
    theirs = hands(lanes)[:, others][lane]
    hand = np.stack([small / 4, big, small + big == 0, theirs.sum(axis=1) / 16, left == 0], axis=1)
    standing = np.zeros((len(lane), 2 * players + 7), np.float32)
    standing[:, :2] = hand[:, :2]
    standing[:, 2 : players + 1] = theirs / 4
    ahead = _ahead(lanes, seat, others, offers, stakes, pairs, left)
    standing[:, players + 1 : 2 * players] = ahead
    standing[:, 2 * players] = ahead.min(axis=1)
    if lanes.white is not None:
        white = lanes.white[lane]
        standing[:, 2 * players + 1] = white[:, seat] / 4
        standing[:, 2 * players + 2] = white.sum(axis=1) / 4
    standing[np.arange(len(lane)), 2 * players + 3 + np.minimum(left, 3)] = 1
    return hand.astype(np.float32), standing


def _ahead(
    lanes: Lanes,
    seat: int,
    others: list[int],
    offers: Offers,
    stakes: Stakes,
    pairs: tuple[Ints, ...],
    left: Ints,
) -> Floats:
    """How far before each of the others, in steps that mean about the same in every round."""
    lane, option = pairs
    cash = np.broadcast_to(stakes.cash, (len(lanes.codes), lanes.players))
    money = (cash + lanes.won())[lane] + offers.gain[lane, option]
    steps = np.array((_LAST_ROUND, *STANDING_TEMPERATURES[lanes.players]), np.int32)[np.minimum(left, 3)]
    ahead = (money[:, seat, None] - money[:, others]) * 64 // steps[:, None]
    return np.clip(ahead, -256, 256) / 64


# Thousands that one stands for where the net speaks of money.
MONEY_UNIT = 64


class Net(Struct, frozen=True):
    """Every place goes through the same first layer; their sum and the standing through a second one."""

    place: Floats
    hand: Floats
    first: Floats
    sum: Floats
    standing: Floats
    second: Floats
    out: Floats
    last: Floats

    def value(self, sights: Sights) -> Floats:
        """For each sight the log odds to win, and the money of the round."""
        return self.layers(sights)[-1]

    def layers(self, sights: Sights) -> tuple[Floats, Floats, Floats, Floats]:
        """What is passed on from layer to layer, for those who learn from it."""
        shared = sights.hand @ self.hand + self.first
        places = sights.places @ self.place
        places += shared[:, None]
        np.maximum(places, 0, out=places)
        joined = places.sum(axis=1)
        hidden = np.maximum(joined @ self.sum + sights.standing @ self.standing + self.second, 0)
        return places, joined, hidden, hidden @ self.out + self.last
