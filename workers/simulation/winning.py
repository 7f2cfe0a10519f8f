"""Estimates the chance to win the game from the standing at the end of a round."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from workers.bots.protocol import Candidate, Question
from workers.simulation.lanes import Ints

THOUSAND = 1_000
# Chances are multiples of 1/FINEST, so that their sums are equal on every machine.
FINEST = 1 << 20
# Card game: thousands of dollars of a lead that make the odds e times as good, by players and rounds to come.
TEMPERATURES = {2: (0, 90, 125, 155), 3: (0, 85, 120, 150), 4: (0, 80, 115, 140), 5: (0, 75, 105, 130)}
# The same between seats that play by the net: fitted to 6,000 rounds of them. With two players a lead lasts,
# because a casino pays both.
LEARNED_TEMPERATURES = {2: (0, 24, 32, 40), 3: (0, 64, 92, 112), 4: (0, 56, 76, 96), 5: (0, 52, 68, 84)}
Whole = NDArray[np.int16] | NDArray[np.int32]
Figures = NDArray[np.float64]
Temperatures = Mapping[int, tuple[int, ...]]


def chance_to_win(
    totals: Whole, notes: Whole, seat: int, rounds: int, temperatures: Temperatures = TEMPERATURES
) -> Figures:
    """Return the seat's chance to win, by lane, with so many rounds to come.

    `totals` and `notes` are what each seat has, by lane and seat; totals are in thousands.
    """
    if rounds == 0:
        return _part_won(totals, notes, seat)
    lead = (totals - totals[:, seat, None]) / temperatures[totals.shape[1]][rounds]
    chance: Figures = np.rint(FINEST / np.exp(np.minimum(lead, 50)).sum(axis=1)) / FINEST
    return chance


def _part_won(totals: Whole, notes: Whole, seat: int) -> Figures:
    """Return what the seat wins of a finished game: most money wins, then most notes; equals share."""
    score = totals.astype(np.int64) * 256 + notes
    best = score == score.max(axis=1)[:, None]
    part: Figures = best[:, seat] / best.sum(axis=1)
    return part


def list_candidates(question: Question, money: Whole, win: Figures) -> tuple[Candidate, ...]:
    """Return a candidate for each option with the means of its lanes.

    `money`, in thousands, and `win` are by lane; the lanes of an option stand together.
    """
    arms = len(question.options)
    mean_money, mean_win = (part.reshape(arms, -1).mean(axis=1) for part in (money, win))
    return tuple(
        Candidate(option, int(THOUSAND * mean_money[number]), round(float(mean_win[number]), 6))
        for number, option in enumerate(question.options)
    )


# Chances are whole numbers of 1/WHOLE, so that their sums are equal on every machine.
WHOLE = 1 << 16
# Thousands of dollars of a lead that make the odds e times as good, by players and rounds to come.
STANDING_TEMPERATURES = {
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
    """Return the odds for each number of thousands behind the leader, in parts of WHOLE."""
    return np.array([round(WHOLE * exp(-behind / temperature)) for behind in range(_MOST)], np.int64)


def chances_to_win(money: Ints, notes: Ints, rounds_left: int, whole: int = WHOLE) -> Chances:
    """Return the chance of every seat to win, by lane and seat, in parts of `whole`.

    After the last round the winners share it: most money, then most notes (P6).
    """
    if rounds_left == 0:
        merit = money * 64 + notes
        won = (merit == merit.max(axis=1, keepdims=True)).astype(np.int64)
        return won * whole // won.sum(axis=1, keepdims=True)
    temperature = STANDING_TEMPERATURES[money.shape[1]][min(rounds_left, 3) - 1]
    behind = np.minimum(money.max(axis=1, keepdims=True) - money, _MOST - 1)
    odds = _odds(temperature).take(behind)
    return odds * whole // odds.sum(axis=1, keepdims=True)
