"""The way of the levels that play their options out in their mind."""

from __future__ import annotations

from msgspec.structs import replace

from workers import simulators
from workers.bots import greedy
from workers.bots.decision import Decision, Question, merit, name_candidates


def decide_by_simulation(question: Question) -> Decision:
    """What no simulator claims is weighed the way of the next lower level."""
    if len(question.options) == 1:
        return name_candidates(question, question.options[0])
    simulator = simulators.find_simulator(question)
    if simulator is None:
        return greedy.decide(replace(question, budget=greedy.BUDGET))
    ranked = tuple(sorted(simulator.weigh(question), key=merit, reverse=True))
    return Decision(ranked[0].choice, ranked)
