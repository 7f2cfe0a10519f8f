"""Four random players play whole classic games: ours through `decide` and `evolve`, the peer `lasvegas`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from random import Random

from lasvegas import Game

from bench.ratio import Ratio, measure_rates
from bench.seeded_chance import SeededChance
from events.commands import Choose, Create
from events.values import SeatPlan
from rules.chance import Chance
from rules.decide import run_command
from rules.editions.classic import NOTES
from rules.state import EMPTY
from service.fairness.dice import FairDice

PLAYERS = 4
SEATS = (SeatPlan(bot="random"),) * PLAYERS
BILLS = dict(Counter(NOTES))


def play(chance: Chance, random: Random) -> int:
    """One game, each answer picked from what the ask lists; how many were given."""
    state = run_command(EMPTY, Create("bench", "classic", SEATS, ""), chance).state
    answers = 0
    while (ask := state.ask) is not None:
        choice = ask.options[int(random.random() * len(ask.options))]
        state = run_command(state, Choose(ask.id, ask.seats[0], choice), chance).state
        answers += 1
    return answers


def _ours(chance: Callable[[int], Chance]) -> Callable[[], int]:
    seeds = count()
    random = Random(1)

    def game() -> int:
        play(chance(next(seeds)), random)
        return 1

    return game


def _peer() -> int:
    """Without its neutral dice, which ours has off as well; its players are `random_play` by default."""
    Game(num_players=PLAYERS, bills_pool=BILLS, num_xtr_players=0, num_xtr_dice=0).run()
    return 1


def _fair(seed: int) -> FairDice:
    return FairDice(seed.to_bytes(32, "big"), "bench", ("",) * PLAYERS)


def measure() -> Ratio:
    ours, fair, peer = measure_rates(_ours(SeededChance), _ours(_fair), _peer)
    remark = f"with the fair dice of the service: {fair:,.0f}, {fair / peer:.2f} ×"
    return Ratio("self-play, against lasvegas", ours, peer, "games/s", 3.0, remark=remark)
