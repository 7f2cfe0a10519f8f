"""How long each level thinks, at worst, in every edition with all its options: `python -m bench asks`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, cycle, islice
from random import Random
from statistics import median
from time import process_time

from bench.ratio import Ratio
from rules import EDITIONS, State, view
from tests.support.bots import GREEDY, RANDOM, states_of_game
from workers.arena.settings import KINDS, fits
from workers.bots import BOTS
from workers.bots.protocol import Level
from workers.simulation import load_simulators

ASKS = 5_000
# Milliseconds that a choice may take: 99 of a hundred, and ever.
USUALLY = 300.0
EVER = 1_000.0
# And half of them, where four play the oldest edition.
OF_FOUR = 60.0
ASKS_OF_FOUR = 1_000
EVERY_SEVENTH = 7


def asked_states(edition: str) -> Iterator[tuple[State, int]]:
    """Without end, from games of all kinds and sizes in which some play well and some do not."""
    kinds = [options for name, options in KINDS if name == edition]
    least, most = EDITIONS.newest[edition].seats
    tables = [(options, players) for options in kinds for players in range(least, most + 1)]
    seated = cycle([(options, players) for options, players in tables if fits(edition, options, players)])
    for seed, (options, players) in zip(count(), seated, strict=False):
        bots = [GREEDY if seat % 2 else RANDOM for seat in range(players)]
        for state in islice(
            states_of_game(edition, options, bots, seed), seed % EVERY_SEVENTH, None, EVERY_SEVENTH
        ):
            if state.ask is not None:
                yield state, state.ask.awaited[0]


def think(level: Level, state: State, seat: int) -> float:
    """Milliseconds of the processor."""
    seen = view(state, seat)
    chance = Random(seat)
    start = process_time()
    level.choose(seen, seat, chance)
    return (process_time() - start) * 1_000


def measure_level(level: Level, edition: str, asks: int = ASKS) -> Iterator[Ratio]:
    taken = sorted(think(level, state, seat) for state, seat in islice(asked_states(edition), asks))
    middle = taken[len(taken) // 2]
    late = taken[len(taken) * 99 // 100]
    name = f"{level.name} in {edition}"
    remark = f"median {middle:.1f} ms of {asks} asks"
    yield Ratio(f"{name}, 99 of 100 asks", late, USUALLY, "ms", 1.0, at_most=True, remark=remark)
    yield Ratio(f"{name}, slowest ask", taken[-1], EVER, "ms", 1.0, at_most=True)


def measure_four() -> Ratio:
    asked = (at for at in asked_states("classic") if len(at[0].seats) == 4)
    middle = median(think(BOTS["expert"], state, seat) for state, seat in islice(asked, ASKS_OF_FOUR))
    remark = f"median of {ASKS_OF_FOUR} asks"
    return Ratio("expert in classic, four players", middle, OF_FOUR, "ms", 1.0, at_most=True, remark=remark)


def measure() -> Iterator[Ratio]:
    """As in the process where bots think, what they think with is loaded before."""
    load_simulators()
    yield measure_four()
    for edition in EDITIONS.newest:
        for level in BOTS.values():
            yield from measure_level(level, edition)
