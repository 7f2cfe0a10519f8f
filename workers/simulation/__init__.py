"""Fast twins of the rules, the choosiest first: each plays some games out many times at once (ADR 0018)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from os import environ

from msgspec import Struct

from workers.bots.protocol import Candidate, Question

# The first one that claims a question weighs its options.
NAMES: tuple[str, ...] = ("dice", "cards", "royale", "by_rules")
# What tells too much to choose by it.
REVEALING = "hidden"


class Simulator(Struct, frozen=True):
    """`weigh` gives one candidate for each option, in their order, with its `money` and its `win`."""

    claims: Callable[[Question], bool]
    weigh: Callable[[Question], tuple[Candidate, ...]]


@cache
def load_simulators() -> tuple[Simulator, ...]:
    """They bring numpy, so they are loaded by who thinks and not by who asks."""
    # More threads only wait for each other over sums as small as ours; numpy reads it when it comes.
    environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return tuple(map(_load, NAMES))


@cache
def _load(name: str) -> Simulator:
    module = import_module(f"workers.simulation.{name}")
    return Simulator(module.claims, module.weigh)


def find_simulator(question: Question) -> Simulator | None:
    return next((simulator for simulator in load_simulators() if simulator.claims(question)), None)


def find_revealing(question: Question) -> Simulator | None:
    """For questions that those who choose have to mix."""
    simulator = _load(REVEALING)
    return simulator if simulator.claims(question) else None
