"""Any legal answer, each as likely as the next."""

from __future__ import annotations

from workers.bots.protocol import Decision, Question, name_candidates

BUILD = "1"
BUDGET = 0


def decide(question: Question) -> Decision:
    return name_candidates(question, question.chance.choice(question.options))
