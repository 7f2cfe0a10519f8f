"""Plays its options out a few times and takes what wins most."""

from __future__ import annotations

from workers.bots.playouts import decide_by_simulation
from workers.bots.protocol import Decision, Question

# Playouts of each option.
BUILD = "3"
BUDGET = 8


def decide(question: Question) -> Decision:
    return decide_by_simulation(question)
