"""Plays as the level `casual`: likes high notes too much, overlooks a tie now and then, and takes revenge."""

from __future__ import annotations

from workers.bots.habits import Habits, decide_by_habit
from workers.bots.protocol import Decision, Question

BUILD = "1"
# Options that it looks at.
BUDGET = 24
# Found by matches: weaker than `greedy` and stronger than `novice` where these are closest: at full tables.
HABITS = Habits(whim=0.35, oversight=0.15, dreams=1.0, spite=0.5, thrift=6_000)


def decide(question: Question) -> Decision:
    """Return the option that attracts most a person who plays now and then."""
    return decide_by_habit(question, HABITS)
