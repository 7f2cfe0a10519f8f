"""Computes mixed strategies: how often to choose what, where a choice is hidden from the other side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from random import Random

from msgspec import Struct

from events.agenda import Ask
from workers.bots.valuation import Valuation, mean

# Enough for a thousandth of what is at stake in tables as small as ours.
STEPS = 300

Matrix = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=256)
def mix(matrix: Matrix) -> tuple[float, ...]:
    """Return how often to choose each row, if the other side chooses a column and wants a small cell.

    Both sides learn by regret matching; the average of what our side did approaches the solution.
    """
    columns = tuple(zip(*matrix, strict=True))
    ours = [0.0] * len(matrix)
    theirs = [0.0] * len(columns)
    weights = [0.0] * len(matrix)
    answer = _share(theirs)
    for step in range(STEPS):
        ours = _regret(ours, [_dot(row, answer) for row in matrix])
        choice = _share(ours)
        theirs = _regret(theirs, [-_dot(column, choice) for column in columns])
        answer = _share(theirs)
        weights = [weight + step * part for weight, part in zip(weights, choice, strict=True)]
    return tuple(_share(weights))


def best_reply(matrix: Matrix, weights: Sequence[float]) -> int:
    """Return the column that leaves least to an opponent who chooses rows with these weights."""
    columns = list(zip(*matrix, strict=True))
    return min(range(len(columns)), key=lambda column: _dot(columns[column], weights))


def _regret(before: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the regrets after one more step: how much better each choice would have been, never below 0."""
    had = _dot(values, _share(before))
    return [max(0.0, regret + value - had) for regret, value in zip(before, values, strict=True)]


def _share(parts: Sequence[float]) -> list[float]:
    """Return the parts divided by their sum; equal shares if the sum is 0."""
    whole = sum(parts)
    return [part / whole for part in parts] if whole > 0 else [1 / len(parts)] * len(parts)


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the dot product of two vectors."""
    return float(sum(map(mul, first, second)))


# Dollars that two ways of hiding may differ by and still be as good as each other.
AS_GOOD = 500


class StrategyRow(Struct, frozen=True):
    """Describes one of our choices: what the other side sees of it, and what each reply leaves us."""

    choice: str
    seen: Ask | None
    replies: tuple[Valuation, ...]

    @property
    def worst(self) -> float:
        """Return what the reply that hurts most leaves us."""
        return min(self.replies).worth


class Mixture(Struct, frozen=True):
    """Says how often to choose what, and what that is worth to us when the other side knows the weights."""

    choices: tuple[str, ...]
    weights: tuple[float, ...]
    valuation: Valuation

    def draw(self, rng: Random) -> str:
        """Return one of the choices, drawn by the weights."""
        return rng.choices(self.choices, self.weights)[0]


def best_mixture(rows: Sequence[StrategyRow]) -> Mixture:
    """Return the mixture of rows that is worth most; among about equal ones the one that risks least.

    Only rows that look alike to the other side are mixed with each other: a visible difference hides nothing.
    """
    least = max(row.worst for row in rows)
    cautious = _join(_mixtures([row for row in rows if row.worst >= least - AS_GOOD]))
    daring = _join(_mixtures(rows))
    return max(cautious, daring, key=lambda found: found.valuation.worth + AS_GOOD * (found is cautious))


def _mixtures(rows: Sequence[StrategyRow]) -> list[Mixture]:
    """Return one mixture for each thing that the other side may see."""
    sights = [row.seen for row in rows]
    different = [sight for number, sight in enumerate(sights) if sight not in sights[:number]]
    return [_solve([row for row in rows if row.seen == sight]) for sight in different]


def _solve(rows: Sequence[StrategyRow]) -> Mixture:
    """Return the mixture of rows that look alike, and its value against the best reply."""
    least = min(row.worst for row in rows)
    matrix = tuple(tuple(round(valuation.worth - least) for valuation in row.replies) for row in rows)
    weights = mix(matrix)
    reply = best_reply(matrix, weights)
    expected = mean([row.replies[reply] for row in rows], weights)
    return Mixture(tuple(row.choice for row in rows), weights, expected)


def _join(mixtures: Sequence[Mixture]) -> Mixture:
    """Return one mixture of the best one and those as good as it, each equally often."""
    best = max(mixture.valuation.worth for mixture in mixtures)
    good = [mixture for mixture in mixtures if mixture.valuation.worth >= best - AS_GOOD]
    return Mixture(
        tuple(choice for mixture in good for choice in mixture.choices),
        tuple(weight for mixture in good for weight in mixture.weights),
        mean([mixture.valuation for mixture in good], [1] * len(good)),
    )
