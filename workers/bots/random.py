"""Plays as the level `random`: takes any legal answer, all with equal probability."""

from __future__ import annotations

from workers.bots.protocol import Decision, Question, name_candidates

BUILD = "1"
BUDGET = 0


def decide(question: Question) -> Decision:
    """Return a legal answer drawn at random, without figures."""
    return name_candidates(question, question.chance.choice(question.options))
