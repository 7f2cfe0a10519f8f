"""What a standing is worth when a round is over: the chance to win the game from there."""

from __future__ import annotations

from functools import cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from workers.simulators.ranks import Ints

# Chances are whole numbers of these, so that every machine adds them up to the same.
WHOLE = 1 << 16
# Thousands that a lead of e to 1 takes, by the rounds still to come, for so many players.
TEMPERATURES = {
    2: (34, 46, 61),
    3: (37, 52, 66),
    4: (40, 58, 70),
    5: (42, 60, 73),
    6: (43, 61, 75),
}
_MOST = 1_000

Chances = NDArray[np.int64]


@cache
def _odds(temperature: int) -> Chances:
    """For each number of thousands that one is behind the first."""
    return np.array([round(WHOLE * exp(-behind / temperature)) for behind in range(_MOST)], np.int64)


def chances_to_win(money: Ints, notes: Ints, rounds_left: int) -> Chances:
    """By lane and seat; after the last round the winners share it, most money and then most notes (P6)."""
    if rounds_left == 0:
        merit = money * 64 + notes
        won = (merit == merit.max(axis=1, keepdims=True)).astype(np.int64)
        return won * WHOLE // won.sum(axis=1, keepdims=True)
    temperature = TEMPERATURES[money.shape[1]][min(rounds_left, 3) - 1]
    behind = np.minimum(money.max(axis=1, keepdims=True) - money, _MOST - 1)
    odds = _odds(temperature).take(behind)
    return odds * WHOLE // odds.sum(axis=1, keepdims=True)
