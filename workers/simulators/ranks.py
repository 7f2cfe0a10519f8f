"""Who is paid first at a casino, looked up instead of worked out."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer[Any]]

# No owner ever has more dice at a casino than eight, the big one counted twice.
BASE = 9


def place_values(owners: int) -> Ints:
    """What one die of each owner adds to the number that stands for the dice at a casino."""
    return BASE ** np.arange(owners, dtype=np.int32)


@cache
def dice_table(owners: int) -> NDArray[np.uint8]:
    """For each such number how many dice every owner has there."""
    numbers = np.arange(BASE**owners, dtype=np.int32)
    return np.stack([(numbers // value % BASE).astype(np.uint8) for value in place_values(owners)], axis=1)


@cache
def rank_table(owners: int) -> NDArray[np.uint8]:
    """For each such number the rank of every owner, from 0 on; who is not paid has rank `owners`."""
    dice = list(dice_table(owners).T.astype(np.int32))
    alone = [_is_alone(owner, dice) for owner in range(owners)]
    return np.stack([_rank(owner, dice, alone) for owner in range(owners)], axis=1)


def _is_alone(owner: int, dice: list[Ints]) -> NDArray[np.bool_]:
    """Has dice, and nobody has as many (D3)."""
    own = dice[owner]
    alone = own > 0
    for other, theirs in enumerate(dice):
        if other != owner:
            alone &= theirs != own
    return alone


def _rank(owner: int, dice: list[Ints], alone: list[NDArray[np.bool_]]) -> NDArray[np.uint8]:
    rank = np.zeros(len(dice[owner]), np.uint8)
    for other, theirs in enumerate(dice):
        rank += alone[other] & (theirs > dice[owner])
    rank[~alone[owner]] = len(dice)
    return rank
