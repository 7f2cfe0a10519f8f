"""Plays as the level `steady`: plays its options out a few times and takes what wins most."""

from __future__ import annotations

from workers.bots.playouts import decide_by_simulation
from workers.bots.protocol import Decision, Question

BUILD = "3"
# Playouts of each option.
BUDGET = 8


def decide(question: Question) -> Decision:
    """Return the option that wins most by a few playouts."""
    return decide_by_simulation(question)
