"""Alive, ready, away: what the service says of itself, and the page that explains it."""

from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from urllib.parse import urlsplit

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.config import Misconfigured, Settings
from service.http.app import DOORBELL, create_app
from service.ops.redis_server import RedisServer
from tests.support.api_client import ApiClient, Game
from tests.support.app import open_app_on
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def served(spare_redis: RedisServer, log: BytesIO) -> Iterator[Flask]:
    with open_app_on(spare_redis.url) as app:
        yield app


def test_a_server_that_keeps_games_is_ready(served: Flask) -> None:
    ready = ApiClient(served.test_client()).get("/readyz").get_json()
    found = ready.pop("redis")
    clock = {"ahead": 0.0, "held": 0.0, "jumps": 0}
    durability = ready.pop("durability")
    assert (durability["setting"], durability["replicas"]) == ("local", 0)
    assert ready == {"status": "ready", "warnings": [], "behind": [], "clock": clock}
    assert found == {
        "appendonly": True,
        "appendfsync": "always",
        "maxmemory_policy": "noeviction",
        "role": "master",
        "partitions": 64,
    }


def test_a_server_that_syncs_later_is_ready_with_a_warning(served: Flask, spare_redis: RedisServer) -> None:
    with redis.Redis.from_url(spare_redis.url) as client:
        client.config_set("appendfsync", "everysec")
    reply = ApiClient(served.test_client()).get("/readyz")
    assert (reply.status_code, reply.get_json()["redis"]["appendfsync"]) == (200, "everysec")
    assert "appendfsync always" in reply.get_json()["warnings"][0]


def test_a_server_that_could_lose_games_is_not_ready_and_says_why(
    served: Flask, spare_redis: RedisServer
) -> None:
    with redis.Redis.from_url(spare_redis.url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
    reply = ApiClient(served.test_client()).get("/readyz")
    problem = reply.get_json()
    assert (reply.status_code, problem["code"], len(problem["errors"])) == (503, "not_ready", 2)
    assert "evicted" in problem["errors"][0]["detail"]


def test_a_stranger_learns_no_address_of_a_server_that_is_away(
    served: Flask, spare_redis: RedisServer, log: BytesIO
) -> None:
    spare_redis.stop()
    told = ApiClient(served.test_client()).get("/readyz").get_data(as_text=True)
    assert "unreachable" in told
    path = urlsplit(spare_redis.url).path
    assert path not in told
    assert "Error" not in told
    assert path in log.getvalue().decode()


@pytest.mark.parametrize(
    "told",
    ["CONFIG SET maxmemory-policy allkeys-lru", "CONFIG SET appendonly no", "REPLICAOF 127.0.0.1 1"],
    ids=["evicts", "keeps no file", "is a replica"],
)
def test_the_service_refuses_to_start_on_a_redis_that_could_lose_games(
    spare_redis: RedisServer, told: str
) -> None:
    with redis.Redis.from_url(spare_redis.url) as client:
        client.execute_command(*told.split())
    with pytest.raises(Misconfigured, match="cannot keep games"):
        create_app(Settings(redis_url=spare_redis.url))
    with pytest.raises(Misconfigured, match="REDIS_URL"):
        create_app(Settings())


def test_with_redis_away_every_call_says_so_and_when_to_come_again(
    served: Flask, spare_redis: RedisServer
) -> None:
    api = ApiClient(served.test_client())
    game = api.create_for(2)
    seat, ask = game.ask()
    spare_redis.stop()
    replies = [
        game.choose(seat, ask["ask"], ask["options"][0]["choice"]),
        api.post("/v1/games", {"edition": "classic", "seats": [{"name": "A"}, {"name": "B"}]}),
        api.post(f"{game.address}/seats", {"name": "Ben"}),
        *(api.get(game.address + path) for path in ("", "?at=1", "/events", "/audit")),
        *(api.get(path) for path in ("/v1/games", "/readyz")),
        api.get(f"{game.address}/events", Accept="text/event-stream"),
        api.get("/v1/games/g_0000000000000000000000", "a-token"),
    ]
    assert {reply.status_code for reply in replies} == {503}
    assert all(reply.headers["Retry-After"] for reply in replies)
    assert api.get("/livez").get_json() == {"status": "alive"}
    spare_redis.start()
    assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200


def opened_stream(served: Flask) -> tuple[Game, TestResponse, Iterator[bytes]]:
    game = ApiClient(served.test_client()).create({"name": "Anna"}, {"open": True})
    reply = ApiClient(served.test_client()).get(f"{game.address}/events", Accept="text/event-stream")
    stream = reply.iter_encoded()
    assert [next(stream)[:5] for _ in range(2)] == [b"retry", b"id: 1"]
    return game, reply, stream


def test_a_stream_outlives_a_restart_of_redis(served: Flask, spare_redis: RedisServer) -> None:
    game, reply, stream = opened_stream(served)
    with closing(reply):
        spare_redis.stop()
        spare_redis.start()
        assert game.api.post(f"{game.address}/seats", {"name": "Ben"}).status_code == 201
        assert next(stream).startswith(b"id: 2")


def test_a_stream_that_cannot_read_on_says_goodbye(served: Flask, spare_redis: RedisServer) -> None:
    game, reply, stream = opened_stream(served)
    with closing(reply):
        spare_redis.stop()
        for listener in served.extensions[DOORBELL].all_listeners():
            listener.ring()
        assert next(stream).startswith(b"event: bye")
        assert list(stream) == []
    assert game.api.get("/livez").status_code == 200


def test_a_doorbell_outlives_its_redis(served: Flask, spare_redis: RedisServer) -> None:
    with served.extensions[DOORBELL].listen("g_1") as listener:
        assert listener.wait(PATIENCE), "everybody is rung when the subscription stands"
        spare_redis.stop()
        spare_redis.start()
        assert listener.wait(PATIENCE), "and again when it stands again"
        with redis.Redis.from_url(spare_redis.url) as client:
            wait_until(lambda: client.publish("croupier:bell", "g_1|2"), "somebody who hears")
        assert listener.wait(PATIENCE)


def test_the_page_needs_nothing_from_elsewhere(api: ApiClient) -> None:
    page = api.get("/docs/reference/try")
    assert "http" not in page.get_data(as_text=True)
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"].partition("style-src")[0]
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png", "start.js", "bar.css"):
        assert f"/docs/reference/{name}" in page.get_data(as_text=True)
        assert api.get(f"/docs/reference/{name}").status_code == 200
    for name in ("swagger-ui.js", "..%2f..%2fsetup.py", "%2e%2e", "LICENSE"):
        assert api.get(f"/docs/reference/{name}").status_code == 404
