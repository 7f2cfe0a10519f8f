"""Bots that do as a test wants, on one ladder."""

from __future__ import annotations

from collections.abc import Callable

from workers.bots.decision import Decision, Level, Question
from workers.ladder import Ladder


def ladder_of(decide: Callable[[Question], Decision]) -> Ladder:
    """The lowest level decides so, and there is no other."""
    return Ladder(bots={"random": Level("random", "test", 0, decide)})
