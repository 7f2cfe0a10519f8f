"""Finds the simulator for a question: a fast copy of some rules that plays many games at once (ADR 0018)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from os import environ

from msgspec import Struct

from workers.bots.protocol import Candidate, Question

# The first one that claims a question weighs its options.
NAMES: tuple[str, ...] = ("dice", "cards", "royale", "by_rules")
# Its figures may be shown, but a bot that chose by them could be guessed.
DISPLAY_ONLY = "hidden"


class Simulator(Struct, frozen=True):
    """Plays out the questions that it `claims`.

    `weigh` returns a candidate with `money` and `win` for each option.
    """

    claims: Callable[[Question], bool]
    weigh: Callable[[Question], tuple[Candidate, ...]]


@cache
def load_simulators() -> tuple[Simulator, ...]:
    """Load all simulators, the most special first, and return them.

    They import numpy, which takes time and memory, so only the process in which bots think loads them.
    """
    # With arrays this small, more threads only wait for each other. numpy reads this when it is imported.
    environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return tuple(map(_load, NAMES))


@cache
def _load(name: str) -> Simulator:
    """Load the simulator of this name."""
    module = import_module(f"workers.simulation.{name}")
    return Simulator(module.claims, module.weigh)


def find_simulator(question: Question) -> Simulator | None:
    """Return the first simulator that claims the question; None if there is none."""
    return next((simulator for simulator in load_simulators() if simulator.claims(question)), None)


def find_for_display_only(question: Question) -> Simulator | None:
    """Return a simulator whose figures may be shown but never chosen by; None for other questions.

    It is for questions that are answered by a mixed strategy: a bot that chose by figures could be guessed.
    """
    simulator = _load(DISPLAY_ONLY)
    return simulator if simulator.claims(question) else None
