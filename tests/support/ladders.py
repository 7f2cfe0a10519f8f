"""Bots that do as a test wants, on one ladder."""

from __future__ import annotations

from collections.abc import Callable

from workers.bots.fallback import FallbackChain
from workers.bots.protocol import Decision, Level, Question


def ladder_of(decide: Callable[[Question], Decision]) -> FallbackChain:
    """The lowest level decides so, and there is no other."""
    return FallbackChain(bots={"random": Level("random", "test", 0, decide)})
