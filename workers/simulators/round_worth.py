"""What the end of a round is worth: the chance to win the game, by what everybody has then."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from workers.bots.decision import Candidate, Question

THOUSAND = 1_000
# Chances are multiples of one part in so many, so that every machine adds them up to the same.
FINEST = 1 << 20
# Of the card game: thousands of dollars that make a lead e times as good, by rounds to come and players.
TEMPERATURES = {2: (0, 90, 125, 155), 3: (0, 85, 120, 150), 4: (0, 80, 115, 140), 5: (0, 75, 105, 130)}
Whole = NDArray[np.int16] | NDArray[np.int32]
Figures = NDArray[np.float64]
Temperatures = Mapping[int, tuple[int, ...]]


def chance_to_win(
    totals: Whole, notes: Whole, seat: int, rounds: int, temperatures: Temperatures = TEMPERATURES
) -> Figures:
    """By lane, from what each seat has and its number of notes, with so many rounds to come."""
    if rounds == 0:
        return _part_won(totals, notes, seat)
    lead = (totals - totals[:, seat, None]) / temperatures[totals.shape[1]][rounds]
    chance: Figures = np.rint(FINEST / np.exp(np.minimum(lead, 50)).sum(axis=1)) / FINEST
    return chance


def _part_won(totals: Whole, notes: Whole, seat: int) -> Figures:
    """Most money wins, then most notes; the rest is shared."""
    score = totals.astype(np.int64) * 256 + notes
    best = score == score.max(axis=1)[:, None]
    part: Figures = best[:, seat] / best.sum(axis=1)
    return part


def list_candidates(question: Question, money: Whole, win: Figures) -> tuple[Candidate, ...]:
    """By lane, the lanes of an option together: thousands of dollars, and chances to win."""
    arms = len(question.options)
    mean_money, mean_win = (part.reshape(arms, -1).mean(axis=1) for part in (money, win))
    return tuple(
        Candidate(option, int(THOUSAND * mean_money[number]), round(float(mean_win[number]), 6))
        for number, option in enumerate(question.options)
    )
