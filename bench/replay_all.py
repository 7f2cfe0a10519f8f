"""Stored games are decided again by `croupier replay-all`; the peer verifies them, hashes and all."""

from __future__ import annotations

from tempfile import TemporaryDirectory

from bench.ratio import Ratio, measure_rates
from events.codec import decode_raw
from events.redis_client import connect
from events.redis_store import RedisStore
from events.values import SeatPlan
from rules.legal import choices
from service.fairness.verify import verify
from service.ops.embedded_server import RedisServer
from service.play.games import Games
from service.replay_all import replay_all

TABLES = (("classic", 4), ("modern", 3), ("royale", 3), ("cards", 3))


def play(games: Games, edition: str, players: int) -> None:
    game = games.create(edition, {}, [SeatPlan(name=f"P{seat}") for seat in range(players)]).game
    while (ask := (state := games.snapshot(game).state).ask) is not None:
        seat = ask.awaited[0]
        games.choose(game, seat, ask.id, choices(state, seat)[-1])


def measure() -> Ratio:
    with (
        TemporaryDirectory(prefix="croupier-bench-") as folder,
        RedisServer(folder) as server,
        connect(server.url) as client,
    ):
        store = RedisStore(client)
        for table in TABLES:
            play(Games(store), *table)

        def ours() -> int:
            return replay_all(store).games

        def peer() -> int:
            return sum(
                bool(verify([*map(decode_raw, store.read_stored(game))]).ok) for game in store.list_games()
            )

        mine, verified = measure_rates(ours, peer)
    return Ratio("replay-all, against verify", mine, verified, "games/s", 1.0)
