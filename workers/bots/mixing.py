"""Two who choose without seeing each other: how often to choose what, so that being known costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import mul

# Enough for a thousandth of what is at stake in tables as small as ours.
STEPS = 300

Matrix = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=256)
def mix(matrix: Matrix) -> tuple[float, ...]:
    """How often to choose each row, where the other side chooses a column and wants little in the cell.

    Both learn from what they regret not to have chosen; what they did on average is the solution.
    """
    columns = tuple(zip(*matrix, strict=True))
    ours, theirs = [0.0] * len(matrix), [0.0] * len(columns)
    weights, answer = [0.0] * len(matrix), _share(theirs)
    for step in range(STEPS):
        ours = _regret(ours, [_dot(row, answer) for row in matrix])
        choice = _share(ours)
        theirs = _regret(theirs, [-_dot(column, choice) for column in columns])
        answer = _share(theirs)
        weights = [weight + step * part for weight, part in zip(weights, choice, strict=True)]
    return tuple(_share(weights))


def best_reply(matrix: Matrix, weights: Sequence[float]) -> int:
    """The column that leaves least to somebody who is known to choose rows so often."""
    columns = list(zip(*matrix, strict=True))
    return min(range(len(columns)), key=lambda column: _dot(columns[column], weights))


def _regret(before: Sequence[float], values: Sequence[float]) -> list[float]:
    had = _dot(values, _share(before))
    return [max(0.0, regret + value - had) for regret, value in zip(before, values, strict=True)]


def _share(parts: Sequence[float]) -> list[float]:
    whole = sum(parts)
    return [part / whole for part in parts] if whole > 0 else [1 / len(parts)] * len(parts)


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    return float(sum(map(mul, first, second)))
