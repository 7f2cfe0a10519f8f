"""What the end of a round is worth: the chance to win the game, by what everybody has then."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

# Thousands of dollars that make a lead e times as good, by rounds to come and players.
TEMPERATURES = {2: (0, 90, 125, 155), 3: (0, 85, 120, 150), 4: (0, 80, 115, 140), 5: (0, 75, 105, 130)}
Whole = NDArray[np.int16]
Figures = NDArray[np.float64]
Temperatures = Mapping[int, tuple[int, ...]]


def chance_to_win(
    totals: Whole, notes: Whole, seat: int, rounds: int, temperatures: Temperatures = TEMPERATURES
) -> Figures:
    """By lane, from what each seat has and its number of notes, with so many rounds to come."""
    if rounds == 0:
        return _part_won(totals, notes, seat)
    lead = (totals - totals[:, seat, None]) / temperatures[totals.shape[1]][rounds]
    chance: Figures = 1 / np.exp(np.minimum(lead, 50)).sum(axis=1)
    return chance


def _part_won(totals: Whole, notes: Whole, seat: int) -> Figures:
    """Most money wins, then most notes; the rest is shared."""
    score = totals.astype(np.int64) * 256 + notes
    best = score == score.max(axis=1)[:, None]
    part: Figures = best[:, seat] / best.sum(axis=1)
    return part
