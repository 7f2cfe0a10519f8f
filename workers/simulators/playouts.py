"""Rounds played to their end in all lanes at once."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workers.simulators.lanes import Lanes, Offers, Rolled
from workers.simulators.luck import Luck
from workers.simulators.ranks import Ints

# What each option is worth to the seat, by lane; money in thousands.
Policy = Callable[[Lanes, int, Offers, Ints], NDArray[Any]]
# Whatever is not legal is worth less than anything.
_NEVER = np.int32(-(10**8))


def play_out(lanes: Lanes, seat: int, playouts: int, chance: Random, policy: Policy, whim: int) -> None:
    """From the seat on, in turn, until nobody has dice; lanes of one playout have the same luck."""
    luck = Luck(chance, *count_turns(lanes, playouts), whim)
    number = np.tile(np.arange(playouts, dtype=np.int32), len(lanes.codes) // playouts)
    for turn in range(len(luck.small)):
        if turn % lanes.players == 0 and lanes.is_done():
            return
        take_turn(lanes, (seat + turn) % lanes.players, luck, turn, number, policy)


def count_turns(lanes: Lanes, playouts: int) -> tuple[int, int, tuple[int, int, int]]:
    """The most that can come, for so many playouts, and the most dice of each kind in a hand."""
    most = _most(lanes.small), _most(lanes.big), _most(lanes.white)
    return sum(most) * lanes.players, playouts, most


def take_turn(lanes: Lanes, seat: int, luck: Luck, turn: int, number: Ints, policy: Policy) -> None:
    rows = np.flatnonzero(lanes.has_dice(seat)).astype(np.int32)
    if not len(rows):
        return
    offers = lanes.offers(seat, roll(lanes, seat, luck, turn, number))
    worth = np.where(offers.legal, policy(lanes, seat, offers, luck.whims[turn].take(number, axis=0)), _NEVER)
    lanes.take(seat, offers, rows, worth.argmax(axis=1)[rows])


def _most(dice: Ints | None) -> int:
    return 0 if dice is None else int(dice.max())


def roll(lanes: Lanes, seat: int, luck: Luck, turn: int, number: Ints) -> Rolled:
    small = _fall(luck.small[turn], lanes.small[:, seat], number)
    white = None if lanes.white is None else _fall(luck.white[turn], lanes.white[:, seat], number)
    if lanes.big is None or luck.big is None:
        return Rolled(small, None, white, small)
    shown = luck.big[turn].take(number)[:, None] == np.arange(6)
    big = (shown & (lanes.big[:, seat, None] > 0)).astype(np.int32)
    return Rolled(small, big, white, small + 2 * big)


def _fall(counted: Ints, dice: Ints, number: Ints) -> Ints:
    """How many of so many dice show each face in the playout of this number."""
    width = counted.shape[1]
    return counted.reshape(-1, 6).take(number * width + dice, axis=0)
