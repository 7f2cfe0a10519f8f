"""Decides by playing options out; the levels `steady` and `expert` share it."""

from __future__ import annotations

from msgspec.structs import replace

from workers import simulation
from workers.bots import greedy
from workers.bots.protocol import Decision, Question, merit, name_candidates


def decide_by_simulation(question: Question) -> Decision:
    """Return the option with the best chance to win, by the simulator that claims the question.

    A forced move is not played out. If no simulator claims the question, the greedy level decides.
    """
    if len(question.options) == 1:
        return name_candidates(question, question.options[0])
    simulator = simulation.find_simulator(question)
    if simulator is None:
        return greedy.decide(replace(question, budget=greedy.BUDGET))
    ranked = tuple(sorted(simulator.weigh(question), key=merit, reverse=True))
    return Decision(ranked[0].choice, ranked)
