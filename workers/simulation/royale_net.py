"""Values a table of Royale after a move with a small neural net, and computes the inputs of the net.

All numbers are whole multiples of a power of two, so that sums of them are exact on every machine.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from workers.simulation.net import Floats, Net, NetInputs
from workers.simulation.royale_lanes import CASINOS, CHIP_THOUSANDS, Flags, Ints, Rewards, RoyaleLanes

Rows = NDArray[np.intp]
# Lanes, and an option in each.
Pairs = tuple[Rows, ...]

# Of a casino: own dice, tied, leading, own money, two notes, the dice of two imaginary players, closed, and
# of its tile: prize, race, pay day, fine.
OF_CASINO = 13
OF_OPPONENT = 4
# Own small and big dice, none left, the dice of all others, the last round, own chips.
OF_HAND = 6
# A table is judged after one of six placements, or after passing.
PASSING = CASINOS
OPTIONS = CASINOS + 1
# Thousands of a lead for one step, by rounds to come.
STEPS = np.array((16, 64, 96), np.int32)
_FURTHEST = 15


def widths(players: int) -> tuple[int, int, int]:
    """Return the number of inputs of each kind: casinos, hand, standing."""
    return OF_CASINO + OF_OPPONENT * (players - 1), OF_HAND, 2 * players + 7


class RoyaleRound(Struct):
    """Holds rounds in lanes: tables, what seats have besides, what they may get, and the rounds to come."""

    lanes: RoyaleLanes
    extra: Ints
    rewards: Rewards
    rounds_left: Ints


class RoyaleRoll(Struct, frozen=True):
    """Holds a roll by lane and face, where its dice may go, and what casinos would pay then."""

    small: Ints
    big: Ints
    legal: Flags
    paid: Ints


class After(Struct, frozen=True):
    """Holds tables after a move, a row for each: all that the net sees of them."""

    weights: Ints
    paid: Ints
    small: Ints
    big: Ints
    chips: Ints
    money: Ints
    notes: Ints
    closed: Flags
    prizes: tuple[Ints, Ints, Ints, Ints]
    rounds_left: Ints


def roll_for(round_: RoyaleRound, seat: int, small: Ints, big: Ints) -> RoyaleRoll:
    """Return the roll with what it offers: six casinos, and passing for a chip."""
    legal, paid = round_.lanes.offers(seat, small, big)
    passing = round_.lanes.chips[:, seat, None] > 0
    return RoyaleRoll(small, big, np.concatenate([legal, passing], axis=1), paid)


def stand(round_: RoyaleRound) -> After:
    """Return the tables as they are."""
    lanes = round_.lanes
    rewards = round_.rewards
    money = round_.extra + lanes.won()
    prizes = rewards.fixed, rewards.races, rewards.days, lanes.fine_rows()
    return After(
        weights=lanes.weights,
        paid=lanes.paid,
        small=lanes.small,
        big=lanes.big,
        chips=lanes.chips,
        money=money,
        notes=lanes.notes,
        closed=lanes.closed,
        prizes=prizes,
        rounds_left=round_.rounds_left,
    )


def move(round_: RoyaleRound, seat: int, rolled: RoyaleRoll, pairs: Pairs) -> After:
    """Return the tables after the seat took these options in these lanes."""
    lane, option = pairs
    rows = np.arange(len(lane))
    casino = option % CASINOS
    placing = (option != PASSING).astype(np.int32)
    few = rolled.small[lane, casino] * placing
    one = rolled.big[lane, casino] * placing
    reward = round_.rewards.offers(round_.lanes.weights[:, seat], rolled.small + 2 * rolled.big)
    now = stand(round_)
    weights = now.weights[lane]
    weights[rows, seat, casino] += few + 2 * one
    paid = now.paid[lane]
    before = paid[rows, :, casino]
    then = np.where(placing[:, None] > 0, rolled.paid[lane, :, casino], before)
    paid[rows, :, casino] = then
    small, big, chips, money = (part[lane] for part in (now.small, now.big, now.chips, now.money))
    small[:, seat] -= few
    big[:, seat] -= one
    chips[:, seat] -= 1 - placing
    money += then - before
    money[:, seat] += reward[lane, casino] * placing - CHIP_THOUSANDS * (1 - placing)
    fixed, races, days, fines = (part[lane] for part in now.prizes)
    races[rows, casino] *= ~round_.rewards.wins_race(weights[rows, seat, casino])
    return After(
        weights=weights,
        paid=paid,
        small=small,
        big=big,
        chips=chips,
        money=money,
        notes=now.notes[lane],
        closed=now.closed[lane],
        prizes=(fixed, races, days, fines),
        rounds_left=now.rounds_left[lane],
    )


def compute_inputs(after: After, seat: int) -> NetInputs:
    """Return the inputs of the net for each row, as the seat sees it that has just moved."""
    players = after.chips.shape[1]
    others = [(seat + step) % players for step in range(1, players)]
    hands = after.small + 2 * after.big
    theirs = hands[:, others]
    small = after.small[:, seat]
    big = after.big[:, seat]
    left = after.rounds_left
    last = left == 0
    chips = after.chips
    hand = [small / 4, big, small + big == 0, theirs.sum(axis=1) / 16, last, chips[:, seat] / 4]
    ahead = (after.money[:, seat, None] - after.money[:, others]) * 64 // STEPS[left][:, None]
    ahead = np.clip(ahead, -256, 256) / 64
    standing = [small / 4, big, *(theirs / 4).T, *ahead.T, ahead.min(axis=1), chips[:, seat] / 4]
    standing += [chips[:, others].sum(axis=1) / 8, last, left == 1, left == 2, small + big == 0]
    return NetInputs(
        _casino_inputs(after, seat, others, hands),
        np.stack(hand, axis=1).astype(np.float32),
        np.stack(standing, axis=1).astype(np.float32),
    )


def _casino_inputs(after: After, seat: int, others: list[int], hands: Ints) -> Floats:
    """Return the inputs that describe the casinos, by row and casino."""
    weights = after.weights
    players = len(others) + 1
    own = weights[:, seat]
    rivals = np.delete(weights, seat, axis=1)
    seen = np.zeros((*own.shape, OF_CASINO + OF_OPPONENT * len(others)), np.float32)
    seen[..., 0] = own / 4
    seen[..., 1] = (rivals == own[:, None]).any(axis=1) & (own > 0)
    seen[..., 2] = (rivals < own[:, None]).all(axis=1)
    seen[..., 3] = after.paid[:, seat] / 64
    seen[..., 4:6] = after.notes / 64
    seen[..., 6] = weights[:, players] / 4
    seen[..., 7] = weights[:, players + 1] / 4
    seen[..., 8] = after.closed
    fixed, races, days, fines = after.prizes
    seen[..., 9] = fixed / 16
    seen[..., 10] = races > 0
    seen[..., 11] = days > 0
    seen[..., 12] = fines > 0
    behind = (after.money[:, others] - after.money[:, seat, None]) // 16
    mixed = (hands[:, others] << 16) | (np.clip(behind, -_FURTHEST, _FURTHEST) + 16)
    paid = np.clip(after.paid[:, others] + 64, 0, 255)
    packed = (weights[:, others] << 20) | mixed[:, :, None] | (paid << 8)
    packed.sort(axis=1)
    for number in range(len(others)):
        one = packed[:, -1 - number]
        first = OF_CASINO + OF_OPPONENT * number
        seen[..., first] = (one >> 20) / 4
        seen[..., first + 1] = ((one >> 16) & 15) / 4
        seen[..., first + 2] = (((one >> 8) & 255) - 64) / 64
        seen[..., first + 3] = ((one & 255) - 16) / 8
    return seen


def take_move(round_: RoyaleRound, seat: int, rolled: RoyaleRoll, rows: Rows, chosen: Rows) -> None:
    """Carry out the chosen options of the seat in these lanes."""
    passes = chosen == PASSING
    round_.lanes.pass_turn(seat, rows[passes])
    rows = rows[~passes]
    chosen = chosen[~passes]
    dice = rolled.small + 2 * rolled.big
    reward = round_.rewards.offers(round_.lanes.weights[:, seat], dice)
    round_.lanes.place(seat, rows, chosen, small=rolled.small, big=rolled.big, paid=rolled.paid)
    round_.extra[rows, seat] += reward[rows, chosen]
    round_.rewards.take(rows, chosen, round_.lanes.weights[rows, seat, chosen])


_NEVER = -1e6


def judge_moves(net: Net, round_: RoyaleRound, seat: int, rolled: RoyaleRoll, thinking: Flags) -> Floats:
    """Return the log odds to win, by lane and option; 0 in lanes that are not `thinking`."""
    pairs = np.nonzero(rolled.legal & thinking[:, None])
    worth: Floats = np.where(rolled.legal, 0.0, _NEVER)
    if len(pairs[0]):
        worth[pairs] = net.value(compute_inputs(move(round_, seat, rolled, pairs), seat))[:, 0]
    return worth
