"""Names that several mechanisms may claim, each of them once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

Thing = TypeVar("Thing")


def join(*parts: Mapping[str, Thing]) -> dict[str, Thing]:
    """All of them in one; a name that two claim is a fault of whoever put them together."""
    return claim(pair for part in parts for pair in part.items())


def claim(pairs: Iterable[tuple[str, Thing]]) -> dict[str, Thing]:
    claimed: dict[str, Thing] = {}
    for name, thing in pairs:
        if name in claimed:
            raise ValueError(f"{name} is claimed twice")
        claimed[name] = thing
    return claimed
