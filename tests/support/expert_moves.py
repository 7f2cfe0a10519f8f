"""Prints what the experts choose at moments of a few games: `python -m tests.support.expert_moves`."""

from __future__ import annotations

from random import Random

from rules.state import view
from tests.support.bots import RANDOM, states_of_game
from workers.bots import BOTS
from workers.simulation import load_simulators

# Few moments each, and every way in which dice are weighed.
GAMES = (
    ("classic", {"chip_cards": True}, 3),
    ("classic", {"neutral_dice": True}, 2),
    ("modern", {"bandit": True}, 5),
)
EVERY = 12


def expert_moves() -> list[str]:
    found = list[str]()
    for edition, options, players in GAMES:
        states = [state for state in states_of_game(edition, options, [RANDOM] * players, 4) if state.ask]
        for state in states[::EVERY]:
            seat = state.ask.awaited[0] if state.ask else 0
            found.append(BOTS["expert"].choose(view(state, seat), seat, Random(seat)))
    return found


if __name__ == "__main__":
    # As the process in which bots think does.
    load_simulators()
    print(*expert_moves(), sep="\n")
