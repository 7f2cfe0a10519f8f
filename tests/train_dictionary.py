"""Plays games and trains a dictionary for `events.packing` on them: python -m tests.train_dictionary FILE."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import zstandard
from msgspec.structs import replace

from events.commit import encode
from events.redis_store import RedisStore
from events.types import OptionValue
from events.values import SeatPlan
from rules.legal import choices
from service import logs
from service.container import build_backend
from service.games.writer import Caller
from tests.support.app import open_memory
from tests.support.bots import TABLES
from tests.support.games import NAMES, make_served_games
from workers.jobs import play_shift

SIZE = 16_384
MORE_TABLES: tuple[tuple[str, dict[str, OptionValue], int], ...] = (
    ("classic", {}, 4),
    ("classic", {}, 5),
    ("modern", {}, 4),
    ("royale", {"tiles": 6}, 2),
    ("royale", {"tiles": 6}, 5),
    ("royale", {}, 3),
    ("cards", {}, 5),
)
# People alone, bots alone, and both at one table.
ROUNDS = 6


def play_game(edition: str, options: dict[str, OptionValue], players: int, number: int) -> Iterator[bytes]:
    """Play a game to its end and yield its commits, without what packing leaves out."""
    random = Random(number)
    seats = [
        SeatPlan(bot=random.choice(("random", "greedy")))
        if number % 3 == 1 or (number % 3 == 2 and seat % 2)
        else SeatPlan(name=NAMES[seat])
        for seat in range(players)
    ]
    with open_memory() as memory:
        backend = build_backend(memory, games=make_served_games(memory))
        game = backend.games.create(edition, options, seats).game
        while (state := backend.games.snapshot(game).state).ask is not None:
            seat = state.ask.awaited[0]
            if state.seats[seat].bot is None:
                choice = random.choice(choices(state, seat))
                backend.games.choose(game, Caller(seat), state.ask.id, choice)
            else:
                backend.scheduler.schedule(game)
                play_shift(backend)
        for commit in RedisStore(memory).read(game):
            yield encode(replace(commit, prev="", hash=""))


def main(path: str) -> None:
    logs.configure("error")
    samples: list[bytes | bytearray | memoryview[int]] = [
        sample
        for number in range(ROUNDS)
        for edition, options, players in (*TABLES, *MORE_TABLES)
        for sample in play_game(edition, options, players, number)
    ]
    Path(path).write_bytes(zstandard.train_dictionary(SIZE, samples).as_bytes())
    print(f"{path}: from {len(samples)} commits")


if __name__ == "__main__":
    main(*sys.argv[1:])
