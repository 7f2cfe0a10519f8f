"""What bots choose in some moments of every kind of game, told by a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from rules.state import view
from tests.support.bots import RANDOM, TABLES, states_of_game
from tests.support.call_trace import ROOT
from workers.bots import BOTS

# The first and one in the middle of each game.
MOMENTS = (0, 25)


def list_moves() -> list[str]:
    found = list[str]()
    for edition, options, players in TABLES:
        states = list(states_of_game(edition, dict[str, Any](options), [RANDOM] * players, seed=6))
        for state in (states[moment] for moment in MOMENTS if states[moment].ask):
            seat = state.ask.awaited[0] if state.ask else 0
            seen = view(state, seat)
            found += [f"{edition} {name} {bot.choose(seen, seat, Random(2))}" for name, bot in BOTS.items()]
    return found


@contextmanager
def telling_process(hash_seed: int) -> Iterator[subprocess.Popen[str]]:
    """Another process, whose sets and dicts of texts are in another order."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.repeated_moves"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
    assert process.returncode == 0


def moves_told_by(process: subprocess.Popen[str]) -> list[str]:
    return process.communicate()[0].splitlines()


if __name__ == "__main__":
    print("\n".join(list_moves()))
