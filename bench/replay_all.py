"""Stored games are decided again by `croupier replay-all`; the peer verifies them, hashes and all.

With BENCH_GAMES=10000 in the environment it is so many: those of `tests/stored` over and over, once through.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from os import environ
from tempfile import TemporaryDirectory
from time import process_time

from bench.ratio import Ratio, measure_rates
from events.commit import ENDINGS, convert_raw, decode_raw
from events.redis import connect
from events.redis_store import RedisStore
from events.values import SeatPlan
from rules.legal import choices
from service.fairness.verify import verify
from service.games.games import Games
from service.games.tokens import SEED
from service.games.writer import Caller
from service.history.replay_all import replay_all
from service.ops.redis_server import RedisServer
from tests.stored.stored_games import FINISHED, read_finished

SAMPLE = 1_000
TABLES = (("classic", 4), ("modern", 3), ("royale", 3), ("cards", 3))


def play(games: Games, edition: str, players: int) -> None:
    game = games.create(edition, {}, [SeatPlan(name=f"P{seat}") for seat in range(players)]).game
    while (ask := (state := games.snapshot(game).state).ask) is not None:
        seat = ask.awaited[0]
        games.choose(game, Caller(seat), ask.id, choices(state, seat)[-1])


def store_copies(store: RedisStore, number: int) -> None:
    """Under ids of their own; what is in them stays as it is."""
    corpus = [[*map(convert_raw, read_finished(path))] for path in FINISHED]
    for copy in range(number):
        commits = corpus[copy % len(corpus)]
        (end,) = (event for event in commits[-1].events if isinstance(event, ENDINGS))
        store.create_with_history(f"g_{copy:022}", commits, {SEED: end.seed})


def take_pace(work: Callable[[], int]) -> float:
    """Once through, in games for a second of the processor."""
    start = process_time()
    return work() / (process_time() - start)


def measure() -> Ratio:
    with (
        TemporaryDirectory(prefix="croupier-bench-") as folder,
        RedisServer(folder) as server,
        connect(server.url) as client,
    ):
        store = RedisStore(client)
        number = int(environ.get("BENCH_GAMES", "0"))
        for table in () if number else TABLES:
            play(Games(store), *table)
        store_copies(store, number)

        def ours() -> int:
            return replay_all(store).games

        def peer() -> int:
            games = islice(sorted(store.list_games()), SAMPLE)
            return sum(bool(verify([*map(decode_raw, store.read_stored(game))]).ok) for game in games)

        mine, verified = map(take_pace, (ours, peer)) if number else measure_rates(ours, peer)
    remark = f"{number:,} games, of which {min(number, SAMPLE):,} were verified" if number else ""
    return Ratio("replay-all, against verify", mine, verified, "games/s", 1.0, remark=remark)
