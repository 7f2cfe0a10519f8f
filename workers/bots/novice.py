"""Plays as the level `novice`: dreams of high notes, forgets ties, and often plays by whim."""

from __future__ import annotations

from workers.bots.habits import Habits, decide_by_habit
from workers.bots.protocol import Decision, Question

BUILD = "1"
# Options that it looks at.
BUDGET = 24
# Found by matches: weaker than `casual` and stronger than `random` where these are closest: at full tables.
HABITS = Habits(whim=0.65, oversight=0.3, dreams=1.0, spite=0.0, thrift=4_000)


def decide(question: Question) -> Decision:
    """Return the option that attracts a beginner most, or one taken by whim."""
    return decide_by_habit(question, HABITS)
