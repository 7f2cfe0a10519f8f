"""What the net says of each option, right after it is taken."""

from __future__ import annotations

from functools import cache
from math import exp

import numpy as np

from rules.state import Roll
from workers.simulators.net import MONEY_UNIT, Net
from workers.simulators.net_inputs import Floats, Stakes, look
from workers.simulators.opening import lay_roll, open_lanes
from workers.simulators.position import Position
from workers.simulators.ranks import Ints
from workers.simulators.standing import WHOLE, Chances

# Log odds are told apart to so small a part of one, up to so many.
_STEPS, _MOST = 64, 12


@cache
def _chance_table() -> Chances:
    steps = range(-_STEPS * _MOST, _STEPS * _MOST + 1)
    return np.array([round(WHOLE / (1 + exp(-step / _STEPS))) for step in steps], np.int64)


def to_chances(log_odds: Floats) -> Chances:
    """In whole numbers, by a table: machines do not agree on the last digit of a power."""
    steps = np.clip(np.round(log_odds * _STEPS), -_STEPS * _MOST, _STEPS * _MOST).astype(np.int64)
    return _chance_table().take(steps + _STEPS * _MOST)


def stakes_of(position: Position) -> Stakes:
    """The same in every lane."""
    return Stakes(np.array([position.cash], np.int32), np.array([position.rounds_left], np.int32))


def judge_options(net: Net, position: Position, roll: Roll, options: Ints) -> tuple[Chances, Ints]:
    """Of each option the chance to win, and the round's money in thousands."""
    stakes = stakes_of(position)
    lanes = open_lanes(position, 1)
    offers = lanes.offers(position.seat, lay_roll(roll, 1))
    value = net.value(look(lanes, position.seat, offers, stakes, (np.zeros_like(options), options)))
    return to_chances(value[:, 0]), np.maximum(np.round(value[:, 1] * MONEY_UNIT), 0).astype(np.int32)
