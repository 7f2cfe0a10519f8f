"""How far six counts are from even ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, exp, pi, sqrt


def chi_square(counts: Sequence[int]) -> float:
    even = sum(counts) / len(counts)
    return sum((count - even) ** 2 / even for count in counts)


def exceedance(found: float) -> float:
    """How often six fair faces are further from even than that: the tail with five degrees of freedom."""
    half = found / 2
    return erfc(sqrt(half)) + 2 * sqrt(half / pi) * exp(-half) * (1 + found / 3)
