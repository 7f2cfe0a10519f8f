"""Somebody who plays sensibly and fast: what others are taken for where nothing was learned."""

from __future__ import annotations

import numpy as np

from workers.simulators.lanes import Lanes, Offers
from workers.simulators.ranks import Ints

# Thousands that a die is worth in hand, and that a whim is worth at most.
DIE, WHIM = 8, 8


def sensible(lanes: Lanes, seat: int, offers: Offers, whims: Ints) -> Ints:
    """Money for oneself and against the best of the others, and dice are worth something in hand."""
    after = lanes.won()[:, None] + offers.gain
    own = after[:, :, seat].copy()
    after[:, :, seat] = -1
    worth = 10 * own - 10 * after.max(axis=2) - after.sum(axis=2)
    cost = 10 * DIE * offers.rolled.weight
    return worth - np.tile(cost, worth.shape[1] // 6) + 10 * whims[:, : worth.shape[1]]
