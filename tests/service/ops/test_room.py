"""A Redis whose memory is almost full: new games are refused, those that are played go on to their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import redis

from events.inspection import MemoryUse
from events.redis import connect
from service.container import Backend, build_backend
from service.http.app import create_app
from service.lobby.open_games import OpenGames
from service.ops.redis_server import RedisServer, measure_memory
from service.ops.room import GAME_BYTES, RESERVED_SHARE, Room
from tests.support.api_client import ApiClient, PlayerClient, long_key
from tests.support.app import UNLIMITED_SERVICE, open_memory
from tests.support.contract import CheckedClient
from tests.support.games import ENDLESS
from workers.projector import projection_handler
from workers.turns import TurnPlayer

PLAN = {"edition": "classic", "seats": [{"name": "Anna"}, {"name": "Ben"}]}
MOST = 100 * 1024 * 1024
FREE = int(MOST * (1 - RESERVED_SHARE))


@pytest.fixture
def open_games() -> Iterator[OpenGames]:
    with open_memory() as client:
        yield OpenGames(client)


def room_with(open_games: OpenGames, used: int, most: int = MOST) -> Room:
    return Room(lambda: MemoryUse(used, most), open_games)


def test_room_is_kept_for_every_open_game(open_games: OpenGames) -> None:
    assert not room_with(open_games, FREE - GAME_BYTES).is_short()
    assert room_with(open_games, FREE - GAME_BYTES + 1).is_short()
    open_games.update("g_1", "Eve", is_open=True)
    assert room_with(open_games, FREE - GAME_BYTES).is_short()
    open_games.update("g_1", "Eve", is_open=False)
    assert not room_with(open_games, FREE - GAME_BYTES).is_short()


def test_redis_without_a_limit_has_room(open_games: OpenGames) -> None:
    assert not room_with(open_games, 10 * MOST, most=0).is_short()


def test_warnings_begin_at_four_fifths(open_games: OpenGames) -> None:
    def warnings(share: float) -> list[str]:
        return room_with(open_games, int(share * MOST)).list_warnings()

    assert warnings(0.79) == []
    assert "80%" in warnings(0.8)[0]
    assert "new games are refused" in warnings(0.96)[0]


# On a server


@pytest.fixture
def full(spare_redis: RedisServer) -> Iterator[tuple[ApiClient, Backend]]:
    """A service on a small server; nothing found of it is remembered."""
    with redis.Redis.from_url(spare_redis.url) as client:
        client.config_set("maxmemory", 4 * 1024 * 1024)
    with connect(spare_redis.url) as client:
        app = create_app(UNLIMITED_SERVICE, client)
        app.test_client_class = CheckedClient
        yield ApiClient(app.test_client()), build_backend(client)
        app.extensions["doorbell"].close()


def play_bots(backend: Backend, game: str) -> None:
    TurnPlayer(backend.games).play_turns(game, ENDLESS)
    projection_handler(backend)(game, backend.games.commits(game))


def fill(api: ApiClient, backend: Backend) -> int:
    """Strangers create games of bots until they are refused; every second one is played to its end."""
    plan = {"edition": "classic", "seats": [{"bot": "random"}] * 5}
    games: list[str] = []
    while (reply := api.post("/v1/games", plan)).status_code == 201:
        games.append(reply.get_json()["id"])
        if len(games) % 2:
            play_bots(backend, games[-1])
    assert (reply.status_code, reply.get_json()["code"]) == (503, "no_room")
    return len(games)


@pytest.mark.long
def test_games_in_progress_go_on_to_their_end_when_strangers_fill_the_memory(
    full: tuple[ApiClient, Backend],
) -> None:
    api, backend = full
    player = PlayerClient(api, "Zoe")
    over = player.set_up({"name": "Ben"})
    over.play()
    begun = [player.set_up({"name": "Ben"}, edition="royale", tiles=6) for _ in range(2)]
    key = {"Idempotency-Key": long_key("Anna")}
    keyed = api.post("/v1/games", PLAN, None, **key).get_json()
    assert fill(api, backend) > 5
    refused: list[Any] = [
        api.post("/v1/games", PLAN),
        api.post("/v1/players", {"name": "Eve"}),
        api.post(f"{over.address}/rematch", {}, player.token),
        api.post(f"{over.address}/forks", {"at": 5, "seats": PLAN["seats"]}),
        api.post("/v1/advice", {"game": begun[0].id, "bot": "random"}, begun[0].tokens[begun[0].ask()[0]]),
    ]
    assert [reply.get_json()["code"] for reply in refused] == ["no_room"] * 5
    assert refused[0].headers["Retry-After"]
    assert "new games are refused" in api.get("/readyz").get_json()["warnings"][0]
    assert api.post("/v1/games", PLAN, None, **key).get_json()["id"] == keyed["id"]
    for game in begun:
        game.play()
        assert game.table()["status"] == "over"


def test_embedded_redis_has_a_limit_by_the_memory_of_the_machine(spare_redis: RedisServer) -> None:
    with redis.Redis.from_url(spare_redis.url) as client:
        assert client.config_get("maxmemory") == {"maxmemory": str(measure_memory() // 2)}
