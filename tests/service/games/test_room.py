"""What a game takes in the memory of a real server, beside the same game as 0.2 stored it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from events.commit import encode
from events.redis_store import RedisStore
from events.types import OptionValue
from events.values import SeatPlan
from rules.legal import choices
from service.container import build_backend
from service.games.writer import Caller
from tests.support.api_client import long_key
from tests.support.games import make_served_games
from tests.support.stores import LAYOUT
from workers.jobs import play_shift

KIB = 1024
ROOM: tuple[Any, ...] = (
    ("classic", {}, 4, 32 * KIB),
    pytest.param("royale", {"tiles": 6}, 4, 48 * KIB, marks=pytest.mark.long),
    pytest.param("cards", {}, 5, 64 * KIB, marks=pytest.mark.long),
)


@pytest.mark.parametrize("bots", [0, 1], ids=["people", "bots"])
@pytest.mark.parametrize(("edition", "options", "players", "most"), ROOM)
def test_a_live_game_takes_a_third_of_the_room(
    real_redis: redis.Redis,
    edition: str,
    options: dict[str, OptionValue],
    players: int,
    most: int,
    bots: int,
) -> None:
    backend = build_backend(real_redis, games=make_served_games(real_redis))
    seats = [SeatPlan(bot="greedy") if bots else SeatPlan(name="Anna") for _ in range(players)]
    game = backend.games.create(edition, options, seats, caller=Caller(key=long_key("create"))).game
    random = Random(1)
    while (state := backend.games.snapshot(game).state).ask is not None:
        seat = state.ask.awaited[0]
        if bots:
            backend.scheduler.schedule(game)
            play_shift(backend)
        else:
            caller = Caller(seat, key=long_key(str(random.random())))
            backend.games.choose(game, caller, state.ask.id, random.choice(choices(state, seat)))
    packed = measure_room(real_redis, game)
    store_as_before(real_redis, game)
    # What bots play depends on their time to think, and so does the length of their game.
    assert bots or packed < most
    assert packed < 0.35 * measure_room(real_redis, game)


def measure_room(client: redis.Redis, game: str) -> int:
    """Return the bytes that the game's own keys take."""
    keys: Any = [LAYOUT.game_key(kind, game) for kind in ("game", "requests", "vault")]
    return sum(client.memory_usage(key, samples=0) or 0 for key in keys)


def store_as_before(client: redis.Redis, game: str) -> None:
    """Store the log as JSON with everything in it. Each key and request belongs to one version."""
    stored: Any = client.hgetall(LAYOUT.game_key("requests", game))
    requests = {}
    for key, known in stored.items():
        version, _, request = known.decode().partition(":")
        requests[int(version)] = {"key": key.decode(), "request": request}
    commits = list(RedisStore(client).read(game))
    client.delete(LAYOUT.game_key("game", game))
    for commit in commits:
        whole = replace(commit, **requests.get(commit.version, {}))
        client.xadd(
            LAYOUT.game_key("game", game), {"e": encode(whole), "h": whole.hash}, id=f"{commit.version}-0"
        )
