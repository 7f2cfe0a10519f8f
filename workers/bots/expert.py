"""Plays as the level `expert`: plays its options out, asks the trained net, and takes what wins most."""

from __future__ import annotations

from workers.bots.playouts import decide_by_simulation
from workers.bots.protocol import Decision, Question

BUILD = "8"
# A measure of effort: each simulator makes its numbers of playouts from it.
BUDGET = 60


def decide(question: Question) -> Decision:
    """Return the option that wins most, by many playouts and by what was learned."""
    return decide_by_simulation(question)
