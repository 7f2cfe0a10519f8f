"""Values a table after a move with a small neural net, and computes the inputs of the net.

All numbers are whole multiples of a power of two, so that sums of them are exact on every machine.
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
# Thousands of a lead for one step in the last round, where every note counts.
_LAST_ROUND = 16
_NEAREST = -15
_FURTHEST = 15


class Stakes(Struct, frozen=True):
    """Holds what every seat had before the round, and the rounds to come after it.

    Both are by lane, or one for all lanes.
    """

    cash: Ints
    rounds_left: Ints


class NetInputs(Struct, frozen=True):
    """Holds the inputs of the net, a row for each pair of a lane and an option.

    They describe the places after the option, the hands, and the standing.
    """

    places: Floats
    hand: Floats
    standing: Floats


def widths(players: int) -> tuple[int, int, int]:
    """Return the number of inputs of each kind: places, hand, standing."""
    return OF_PLACE + OF_OPPONENT * (players - 1), OF_HAND, 2 * players + 7


def compute_inputs(
    lanes: Lanes, seat: int, offers: Offers, stakes: Stakes, pairs: tuple[Ints, ...]
) -> NetInputs:
    """Return the inputs of the net for each pair, after the seat took this option in this lane."""
    lane, option = pairs
    others = [(seat + step) % lanes.players for step in range(1, lanes.players)]
    before = _place_inputs(lanes, seat, others, stakes, None)
    after = _place_inputs(lanes, seat, others, stakes, offers)
    places = before[lane]
    places[np.arange(len(lane)), np.minimum(option, 6)] = after[lane, option]
    return NetInputs(places, *_hand_inputs(lanes, seat, others, offers, stakes, pairs))


def _place_inputs(
    lanes: Lanes, seat: int, others: list[int], stakes: Stakes, offers: Offers | None
) -> Floats:
    """Return the inputs that describe places.

    Without offers they are by lane and place as it is; with offers by lane and option as it would become.
    """
    table = lanes if offers is None else offers
    codes = table.codes
    paid = table.paid
    dice = dice_table(lanes.owners).take(codes, axis=0)
    seen = _dice_inputs(lanes, dice, paid[:, :6], seat, others, stakes)
    notes = np.broadcast_to(lanes.notes[..., :3], (len(codes), 6, min(3, lanes.notes.shape[2])))
    seen[..., 4 : 4 + notes.shape[2]] = notes / 64
    if lanes.owners > lanes.players:
        seen[..., 7] = dice[..., -1] / 4
    if lanes.bandit is None:
        return seen
    bandit = _bandit_inputs(lanes.bandit, lanes, seat, others, stakes, offers)
    return np.concatenate([seen, bandit], axis=1)


def _bandit_inputs(
    bandit: BanditLanes, lanes: Lanes, seat: int, others: list[int], stakes: Stakes, offers: Offers | None
) -> Floats:
    """Return the inputs that describe the bandit: the dice of every seat there, of all faces together."""
    paid = lanes.paid if offers is None else offers.paid
    merits = bandit.merits[:, None] if offers is None else bandit.after(seat, offers.merits)
    seen = _dice_inputs(lanes, (merits >> 12).astype(np.uint8), paid[:, 6:], seat, others, stakes)
    seen[..., 4:6] = bandit.notes[:, None] / 64
    seen[..., 8] = 1
    return seen


def _dice_inputs(
    lanes: Lanes, dice: NDArray[np.uint8], paid: Ints, seat: int, others: list[int], stakes: Stakes
) -> Floats:
    """Return the inputs that describe places with these dice and this pay."""
    own = dice[..., seat]
    theirs = dice[..., others]
    seen = np.zeros((*own.shape, OF_PLACE + OF_OPPONENT * len(others)), np.float32)
    seen[..., 0] = own / 4
    seen[..., 1] = (theirs == own[..., None]).any(axis=-1) & (own > 0)
    seen[..., 2] = (own[..., None] > theirs).all(axis=-1)
    seen[..., 3] = paid[..., seat] / 64
    _write_opponent_inputs(seen, _pack_opponents(lanes, theirs, paid[..., others], seat, others, stakes))
    return seen


def _pack_opponents(
    lanes: Lanes, theirs: NDArray[np.uint8], paid: Ints, seat: int, others: list[int], stakes: Stakes
) -> Ints:
    """Return one number for all inputs about an opponent, so that sorting by dice keeps them together."""
    behind = np.clip((stakes.cash[:, others] - stakes.cash[:, seat, None]) // 10, _NEAREST, _FURTHEST) + 16
    hand = hands(lanes)[:, others]
    return (theirs.astype(np.int32) << 20) | ((hand << 16) | behind)[:, None] | (paid << 8)


def _write_opponent_inputs(seen: Floats, packed: Ints) -> None:
    """Write the inputs about the opponents, those with most dice first."""
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
    """Return the weight of the dice in each hand, by lane and seat; a big die counts twice."""
    return lanes.small if lanes.big is None else lanes.small + 2 * lanes.big


def _hand_inputs(
    lanes: Lanes, seat: int, others: list[int], offers: Offers, stakes: Stakes, pairs: tuple[Ints, ...]
) -> tuple[Floats, Floats]:
    """Return the inputs that describe the hands, and those that describe the standing."""
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
    """Return how far the seat is ahead of each of the others.

    The unit is a step that means about as much in every round.
    """
    lane, option = pairs
    cash = np.broadcast_to(stakes.cash, (len(lanes.codes), lanes.players))
    money = (cash + lanes.won())[lane] + offers.gain[lane, option]
    steps = np.array((_LAST_ROUND, *STANDING_TEMPERATURES[lanes.players]), np.int32)[np.minimum(left, 3)]
    ahead = (money[:, seat, None] - money[:, others]) * 64 // steps[:, None]
    return np.clip(ahead, -256, 256) / 64


# One unit of the net's money output, in thousands.
MONEY_UNIT = 64
# So many rows at a time stay in the processor's cache.
BLOCK = 256


class Net(Struct, frozen=True):
    """Holds the weights of two layers.

    Each place goes through the first layer; their sum and the standing go through the second.
    """

    place: Floats
    hand: Floats
    first: Floats
    sum: Floats
    standing: Floats
    second: Floats
    out: Floats
    last: Floats

    def value(self, inputs: NetInputs) -> Floats:
        """Return the log odds to win and the money of the round, for each row of inputs.

        It computes what `layers` does, BLOCK rows at a time in the same memory: that takes half as long.
        """
        rows, count, width = inputs.places.shape
        values = np.empty((rows, self.out.shape[1]))
        memory = np.empty((min(BLOCK, rows) * count, self.place.shape[1]), self.place.dtype)
        for start in range(0, rows, BLOCK):
            block = slice(start, start + BLOCK)
            places = inputs.places[block]
            hidden = memory[: len(places) * count]
            np.matmul(places.reshape(-1, width), self.place, out=hidden)
            by_place = hidden.reshape(len(places), count, -1)
            by_place += (inputs.hand[block] @ self.hand + self.first)[:, None]
            np.maximum(hidden, 0, out=hidden)
            values[block] = self._last_layers(_sum_places(by_place), inputs.standing[block])[1]
        return values

    def layers(self, inputs: NetInputs) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the outputs of all layers; training needs them to compute gradients."""
        shared = inputs.hand @ self.hand + self.first
        rows, count, width = inputs.places.shape
        # One product of two matrices takes half as long as one for each row.
        places = (inputs.places.reshape(-1, width) @ self.place).reshape(rows, count, -1)
        places += shared[:, None]
        np.maximum(places, 0, out=places)
        joined = _sum_places(places)
        hidden, value = self._last_layers(joined, inputs.standing)
        return places, joined, hidden, value

    def _last_layers(self, joined: Floats, standing: Floats) -> tuple[Floats, Floats]:
        """Return the outputs of the second layer and of the last one."""
        hidden = joined @ self.sum
        hidden += standing @ self.standing
        hidden += self.second
        np.maximum(hidden, 0, out=hidden)
        return hidden, hidden @ self.out + self.last


def _sum_places(places: Floats) -> Floats:
    """Return the sum over all places, by row. A sum of slices takes less than one along the middle axis."""
    joined = places[:, 0] + places[:, 1]
    for number in range(2, places.shape[1]):
        joined += places[:, number]
    return joined
