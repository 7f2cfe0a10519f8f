"""Games between bots, fallback chains for tests, and a worker in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from threading import Event, Thread

import redis

from events.commands import Create
from events.types import OptionValue
from events.values import SeatPlan
from rules.ruleset import Options
from rules.state import State, view
from service.container import build_backend
from tests.support.game_loop import play_commands
from workers.bots import BOTS
from workers.bots.fallback import FallbackChain
from workers.bots.protocol import Decision, Level, Question
from workers.bots.valuation import SampledChance
from workers.jobs import play_shift

RANDOM, GREEDY = BOTS["random"], BOTS["greedy"]

# Every edition with every option that changes what is asked, and how many play.
TABLES: tuple[tuple[str, dict[str, OptionValue], int], ...] = (
    ("classic", {}, 2),
    ("classic", {"neutral_dice": True}, 3),
    ("classic", {"chip_cards": True}, 4),
    ("modern", {}, 2),
    ("modern", {"neutral_dice": True}, 4),
    ("modern", {"bandit": True}, 5),
    ("royale", {"tiles": 0}, 2),
    ("royale", {"tiles": 3}, 3),
    ("royale", {"tiles": 6}, 4),
    ("cards", {}, 2),
    ("cards", {"sequential": True}, 3),
    ("cards", {"sequential": True, "chip_cards": True}, 4),
)


def states_of_game(edition: str, options: Options, bots: Sequence[Level], seed: int) -> Iterator[State]:
    """Every state of a game in which somebody is asked, and the last one."""
    random = Random(seed)
    seats = tuple(SeatPlan(bot="random") for _ in bots)
    create = Create("g_1", edition, seats, "c0" * 32, dict(options))

    def answer(state: State) -> tuple[int, str]:
        seat = state.ask.awaited[0] if state.ask else 0
        return seat, bots[seat].choose(view(state, seat), seat, random)

    return (move.after for move in play_commands([create], answer, SampledChance(seed)))


def play_bots(edition: str, options: Options, bots: Sequence[Level], seed: int) -> State:
    *_, last = states_of_game(edition, options, bots, seed)
    return last


def share_won(bot: Level, against: Level, edition: str, options: Options, players: int, games: int) -> float:
    """What part of the games the bot wins from changing seats; a shared victory counts in part."""
    won = 0.0
    for seed in range(games):
        seat = seed % players
        bots = [bot if other == seat else against for other in range(players)]
        winners = play_bots(edition, options, bots, seed).winners or ()
        won += (seat in winners) / len(winners)
    return won / games


def states_asking(
    prompt: str,
    options: Options,
    players: int,
    games: int,
    fits: Callable[[State], bool] = lambda state: True,
) -> list[tuple[State, int]]:
    """Moments of Royale in which this is asked, and the seat that has to answer."""
    return [
        (state, state.ask.awaited[0])
        for seed in range(games)
        for state in states_of_game("royale", options, [RANDOM] * players, seed)
        if state.ask is not None and state.ask.prompt == prompt and fits(state)
    ]


def ladder_of(decide: Callable[[Question], Decision]) -> FallbackChain:
    """The lowest level decides so, and there is no other."""
    return FallbackChain(bots={"random": Level("random", "test", 0, decide)})


@contextmanager
def open_worker(client: redis.Redis) -> Iterator[None]:
    """Looks for work all the time, as a worker that is called does."""
    stopped, backend = Event(), build_backend(client)

    def work() -> None:
        while not stopped.is_set():
            if not play_shift(backend):
                stopped.wait(0.01)

    thread = Thread(target=work, name="worker", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
