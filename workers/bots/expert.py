"""Plays its options out as often as it helps, asks what was learned, and takes what wins most."""

from __future__ import annotations

from workers.bots.playouts import decide_by_simulation
from workers.bots.protocol import Decision, Question

# Playouts of each option; a simulator that has nothing else to go by takes more of them.
BUILD = "4"
BUDGET = 60


def decide(question: Question) -> Decision:
    return decide_by_simulation(question)
