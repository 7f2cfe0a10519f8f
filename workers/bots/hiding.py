"""Choices that the next to answer does not see: mixed, so that nobody gains by knowing how a bot plays."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from events.agenda import Ask
from workers.bots.mixing import best_reply, mix
from workers.bots.prospect import Prospect, mean

# Dollars that two ways of hiding may differ by and still be as good as each other.
AS_GOOD = 500


class Row(Struct, frozen=True):
    """One of our choices: what the other side sees of it, and what each of its replies would leave us."""

    choice: str
    seen: Ask | None
    replies: tuple[Prospect, ...]

    @property
    def worst(self) -> float:
        return min(self.replies).worth


class Mixture(Struct, frozen=True):
    """How often to choose what, and what that is worth to us when the other side knows it."""

    choices: tuple[str, ...]
    weights: tuple[float, ...]
    prospect: Prospect

    def draw(self, rng: Random) -> str:
        return rng.choices(self.choices, self.weights)[0]


def best_mixture(rows: Sequence[Row]) -> Mixture:
    """Of equally good ones the one that stakes least; what differs in what is seen of it is no disguise."""
    least = max(row.worst for row in rows)
    cautious = _join(_mixtures([row for row in rows if row.worst >= least - AS_GOOD]))
    daring = _join(_mixtures(rows))
    return max(cautious, daring, key=lambda found: found.prospect.worth + AS_GOOD * (found is cautious))


def _mixtures(rows: Sequence[Row]) -> list[Mixture]:
    """One for each thing that the other side may see."""
    sights = [row.seen for row in rows]
    different = [sight for number, sight in enumerate(sights) if sight not in sights[:number]]
    return [_solve([row for row in rows if row.seen == sight]) for sight in different]


def _solve(rows: Sequence[Row]) -> Mixture:
    least = min(row.worst for row in rows)
    matrix = tuple(tuple(round(prospect.worth - least) for prospect in row.replies) for row in rows)
    weights = mix(matrix)
    reply = best_reply(matrix, weights)
    expected = mean([row.replies[reply] for row in rows], weights)
    return Mixture(tuple(row.choice for row in rows), weights, expected)


def _join(mixtures: Sequence[Mixture]) -> Mixture:
    """The best, and those that are as good: any of them, equally often."""
    best = max(mixture.prospect.worth for mixture in mixtures)
    good = [mixture for mixture in mixtures if mixture.prospect.worth >= best - AS_GOOD]
    return Mixture(
        tuple(choice for mixture in good for choice in mixture.choices),
        tuple(weight for mixture in good for weight in mixture.weights),
        mean([mixture.prospect for mixture in good], [1] * len(good)),
    )
