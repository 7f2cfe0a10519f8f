"""Who is paid at a casino of the card game, tabulated: nobody has more than the six dice of a number."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int16]

MOST_DICE = 6
# Rivals with a number of dice are a bit: all numbers that rivals have, and those that only one of them has.
SETS = 1 << MOST_DICE
BIT = np.array([0, *(1 << dice for dice in range(MOST_DICE))], np.int16)
NOBODY, SELF, RIVAL = range(3)
# What one's own dollar counts for; that of all rivals together counts for so much less, by their number.
OWN = 10
RIVALS = {1: 10, 2: 6, 3: 5, 4: 4}


def note_winners(alone: int, there: int, own: int) -> tuple[int, int]:
    """Who takes the higher and the lower note, when rivals have these numbers of dice."""
    weights = [dice for dice in range(1, MOST_DICE + 1) if alone & int(BIT[dice]) and dice != own]
    ranked = dict.fromkeys(weights, RIVAL)
    if own and not there & int(BIT[own]):
        ranked[own] = SELF
    first, second, *_ = (*(ranked[dice] for dice in sorted(ranked, reverse=True)), NOBODY, NOBODY)
    return first, second


@cache
def winners() -> Whole:
    """By the rivals' sets and the own dice, for both notes."""
    table = np.zeros((SETS, SETS, MOST_DICE + 1, 2), np.int16)
    for there in range(SETS):
        for alone in (part for part in range(SETS) if part & ~there == 0):
            table[alone, there] = [note_winners(alone, there, own) for own in range(MOST_DICE + 1)]
    return table.reshape(SETS * SETS * (MOST_DICE + 1), 2)


@cache
def gains(rivals: int) -> Whole:
    """By sets, own dice and dice that come: what each note brings more than now, for OWN dollars."""
    worth = np.array([0, OWN, -RIVALS[rivals]], np.int16)[winners()]
    worth = worth.reshape(SETS * SETS, MOST_DICE + 1, 2)
    found = np.zeros((SETS * SETS, MOST_DICE + 1, MOST_DICE + 1, 2), np.int16)
    for own in range(MOST_DICE + 1):
        for more in range(MOST_DICE + 1 - own):
            found[:, own, more] = worth[:, own + more] - worth[:, own]
    return np.ascontiguousarray(found.reshape(-1, MOST_DICE + 1, 2).transpose(2, 0, 1))


def index_sets(weights: Whole, seat: int) -> NDArray[np.intp]:
    """Where a seat stands in the tables, by lane and casino; `weights` are by lane, seat and casino."""
    alone = there = np.zeros(weights.shape[::2], np.int16)
    several = alone
    for rival in (other for other in range(weights.shape[1]) if other != seat):
        bits = BIT[weights[:, rival]]
        several = several | (there & bits)
        there = there | bits
    alone = there & ~several
    key = (alone.astype(np.intp) * SETS + there) * (MOST_DICE + 1)
    return key + weights[:, seat]
