"""Plays the bots of the package `lasvegas` at our tables: `python -m workers.arena.lasvegas_bot POLICY`.

It is a program as `ForeignBot` starts it, and reads only the public table. Its rules are those of 2012, so it
plays at `classic` tables without neutral dice and chip cards.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy
from lasvegas.act import policy
from lasvegas.core import GameEnv

Table = Mapping[str, Any]
POLICIES = {name: getattr(policy, name) for name in ("greedy_first", "greedy_score", "random_play")}


def set_up(table: Table, seat: int) -> GameEnv:
    """Return the package's own game in this position. Its casinos and notes go from low to high."""
    env = GameEnv(num_players=len(table["seats"]), num_xtr_players=0)
    env.current_player_index = seat
    env.casinos_bills = [sorted(casino["notes"]) for casino in table["casinos"]]
    env.scores = numpy.array([[player["money"], player["note_count"]] for player in table["seats"]])
    env.dice = numpy.zeros((len(table["seats"]) + env.num_casinos, len(table["seats"])), dtype=int)
    for row, casino in zip(env.casinos_dice, table["casinos"], strict=True):
        for lot in casino["dice"]:
            row[_seat(lot["owner"])] = lot["small"]
    rolled = Counter(face - 1 for face in table["roll"]["own"])
    env.rolled = [dict(rolled) if player == seat else {} for player in range(len(table["seats"]))]
    return env


def _seat(owner: str) -> int:
    """Return the number of the seat that owns these dice."""
    return int(owner.rpartition("-")[2])


def choose(name: str, table: Table, seat: int) -> str:
    """Return the policy's choice.

    Equal tables get equal answers, although one policy draws random numbers.
    """
    # The policy `random_play` uses the global generator.
    random.seed(f"{table['id']} {table['version']}")
    return f"place-{int(POLICIES[name](set_up(table, seat))) + 1}"


def main(name: str) -> None:
    """Answer questions from stdin on stdout until stdin is closed."""
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps({"choice": choose(name, asked["table"], asked["seat"])}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
