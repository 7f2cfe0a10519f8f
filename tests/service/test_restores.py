"""A restore under warm processes, at every point of a card game with three people, on a real Redis.

Whatever the processes remember, they tell and do the same as one that has just been started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from io import BytesIO
from random import Random
from typing import Any

import pytest
import redis
from flask import Flask, Response
from flask.testing import FlaskClient
from msgspec import Struct
from werkzeug.test import TestResponse

from events.projector import Projector
from events.redis_client import connect, connect_blocking
from events.redis_cursor import RedisCursor
from service.api.app import DOORBELL
from service.factory import build_backend
from service.ops.embedded_server import RedisServer
from service.rebuild import PROJECTOR
from tests.support.api_client import ApiClient
from tests.support.app import open_app, open_apps_on
from tests.support.keys import long_key
from tests.support.restored_logs import Keys, dump_everything, restore_everything
from tests.support.waiting import wait_until
from workers.project import projection_handler

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
PLAN = {"edition": "cards", "options": {}, "seats": [{"name": "Anna"}, {"open": True}, {"open": True}]}
# The first is created, two sit down, and from then on everybody plays.
SEATED = 3
MOST_MOVES = 3
CLOSELY, SAMPLE = 13, 8
CHOICE = {"ask": 1, "choice": "play-1"}
NOTHING = b'{"commits":[],"next":"%b/events?after=0"}'
TAGGED = ("", "/events", "/audit")


class Point(Struct, frozen=True):
    """What a backup has of a version, and who held which seat then."""

    kept: Keys
    tokens: dict[int, str]
    request: tuple[str, dict[str, Any], str | None, str]


class World:
    """Two warm processes of the API, a warm projector, and one game that is kept at every version."""

    def __init__(self, client: redis.Redis, apis: list[ApiClient], projector: Projector) -> None:
        self.client, self.warm, self._projector = client, apis, projector
        self.tokens: dict[int, str] = {}
        key = long_key("the game")
        made = apis[0].post("/v1/games", PLAN, Idempotency_Key=key).get_json()
        self.address = f"/v1/games/{made['id']}"
        self.tokens[0] = made["seats"][0]["token"]
        self.points: dict[int, Point] = {}
        self._keep("/v1/games", PLAN, None, key)

    def _keep(self, *request: Any) -> None:
        self._projector.step()
        self.points[len(self.points) + 1] = Point(dump_everything(self.client), dict(self.tokens), request)

    def sit(self, name: str) -> tuple[Any, ...]:
        body, key = {"name": name}, long_key(name)
        seated = self.warm[0].post(f"{self.address}/seats", body, Idempotency_Key=key).get_json()
        self.tokens[seated["seat"]] = seated["token"]
        return f"{self.address}/seats", body, None, key

    def answer(self, option: int, key: str) -> tuple[Any, ...] | None:
        """Somebody who is asked; None where the game is over."""
        asks = self.warm[0].get(self.address).get_json()["asks"]
        if not asks:
            return None
        token = self.tokens[asks[0]["seats"][-1]]
        (ask,) = self.warm[0].get(self.address, token).get_json()["asks"]
        body = {"ask": ask["ask"], "choice": ask["options"][option % len(ask["options"])]["choice"]}
        reply = self.warm[0].post(f"{self.address}/choices", body, token, Idempotency_Key=key)
        assert reply.status_code == 200, reply.data
        return f"{self.address}/choices", body, token, key

    def play_to_the_end(self) -> None:
        for name in ("Ben", "Carla"):
            self._keep(*self.sit(name))
        while request := self.answer(0, f"key-{len(self.points)}"):
            self._keep(*request)

    def go_to(self, version: int) -> None:
        restore_everything(self.client, self.points[version].kept)
        self.tokens = dict(self.points[version].tokens)

    def play_otherwise(self, moves: int) -> None:
        """From where the log stands now."""
        for number in range(moves):
            if len(self.tokens) < SEATED:
                self.sit(("Denny", "Emily")[len(self.tokens) - 1])
            elif self.answer(-1, f"other-{number}") is None:
                break
        self._projector.step()


def open_client(app: Flask) -> ApiClient:
    """Whether replies are as the contract says is for others to see, and takes long."""
    return ApiClient(FlaskClient(app, Response))


@pytest.fixture
def world(redis_server: RedisServer, real_redis: redis.Redis, log: BytesIO) -> Iterator[World]:
    with open_apps_on(redis_server.url, 2) as apps, connect_blocking(redis_server.url, 1) as waiting:
        backend = build_backend(real_redis)
        projector = Projector(backend.store, RedisCursor(waiting, PROJECTOR), projection_handler(backend))
        projector.step()
        made = World(real_redis, [open_client(app) for app in apps], projector)
        made.play_to_the_end()
        yield made


def restores(world: World) -> Iterator[tuple[int, int]]:
    """From a version to an earlier one: the one before, one near and any in turn.

    All versions while people sit down and in the first hand, where everything happens for the first time;
    later some that differ from run to run.
    """
    last, random = len(world.points), Random()
    later = random.sample(range(CLOSELY + 1, last), SAMPLE)
    for at in (*range(2, CLOSELY + 1), *later, last):
        near = max(1, at - random.randrange(1, MOST_MOVES + 1))
        yield at, (at - 1, near, random.randrange(1, at))[at % 3]


def paths(at: int, back: int) -> list[tuple[str, str]]:
    """What can be read of a game, and in what form."""
    return [
        *(("", "*/*"), (f"?at={back}", "*/*"), (f"?at={back + 1}", "*/*"), ("/audit", "*/*")),
        *((f"/events?after={after}", "*/*") for after in (0, back + 1, at)),
        *((f"/events?after={after}", NDJSON) for after in (0, back, at)),
    ]


def read(api: ApiClient, address: str, token: str | None, form: str, **headers: str) -> tuple[int, bytes]:
    reply = api.get(address, token, Accept=form, **headers)
    return reply.status_code, reply.data


def code(reply: TestResponse) -> tuple[int, Any]:
    return reply.status_code, reply.get_json().get("code")


def test_nothing_of_a_lost_branch_is_told_or_done(world: World, redis_server: RedisServer) -> None:
    for at, back in restores(world):
        tags, tokens = warm_up(world, at), dict(world.tokens)
        with follow_to(world, at, back), ThreadPoolExecutor(2) as pool:
            waiting = wait_for_news(pool, world, at)
            world.go_to(back)
            world.play_otherwise(min(at - back, MOST_MOVES))
            for told in waiting:
                assert told.result() in (b"", NOTHING % world.address.encode())
        with connect(redis_server.url) as client, open_app(client) as app:
            compare(world, open_client(app), paths(at, back), tags)
        check_tokens(world, [token for seat, token in tokens.items() if seat + 1 > back])
        check_repeat(world, *world.points[at].request)


def warm_up(world: World, at: int) -> dict[str, str]:
    """Both processes have the branch that is going to be lost, and all of its tokens."""
    world.go_to(at)
    for api in world.warm:
        for token in (None, *world.tokens.values()):
            assert api.get(world.address, token).get_json()["version"] == at
    return {path: api.get(world.address + path).headers["ETag"] for path in TAGGED for api in world.warm}


@contextmanager
def follow_to(world: World, at: int, back: int) -> Iterator[None]:
    """Streams that have come to the end of a branch: when that is lost they say so, and no more."""
    app, address = world.warm[1].client.application, f"{world.address}/events?after={at}"
    tokens = (None, world.tokens[0], world.tokens[max(world.tokens)])
    streams = [open_client(app).get(address, token, Accept=SSE) for token in tokens]
    frames = [stream.iter_encoded() for stream in streams if stream.status_code == 200]
    assert [next(told) for told in frames] == [b"retry: 2000\n\n"] * len(frames)
    yield
    for stream, told in zip(streams, frames, strict=False):
        with closing(stream):
            assert list(told) == [b'id: 0\nevent: reset\ndata: {"version":0}\n\n'], (at, back)


def wait_for_news(pool: ThreadPoolExecutor, world: World, at: int) -> list[Future[bytes]]:
    """A page and lines, both of which are waiting now; nobody waits at the end of a game that is over."""
    app, address = world.warm[1].client.application, f"{world.address}/events?after={at}&wait=60"
    if at == len(world.points):
        return []

    def count_listeners() -> int:
        return len(app.extensions[DOORBELL].all_listeners())

    def wait(form: str) -> bytes:
        return bytes(open_client(app).get(address, Accept=form).data)

    before = count_listeners()
    waiting = [pool.submit(wait, form) for form in ("application/json", NDJSON)]
    wait_until(lambda: count_listeners() == before + 2, "both of them wait")
    return waiting


def compare(world: World, fresh: ApiClient, asked: list[tuple[str, str]], tags: dict[str, str]) -> None:
    """Warm processes tell what one tells that has just been started.

    Only they know that a reader who is beyond the end was there before: such a one is sent to the beginning.
    """
    begin_anew = ((200, NOTHING % world.address.encode()), (200, b""))
    viewers = (None, *world.tokens.values())
    for number, (path, form) in enumerate(asked):
        token = viewers[number % len(viewers)]
        told = read(fresh, world.address + path, token, form)
        for api in world.warm:
            beyond = begin_anew if told[0] == 404 and "after=" in path else ()
            assert read(api, world.address + path, token, form) in (told, *beyond), path
    for path, tag in tags.items():
        told = read(fresh, world.address + path, None, "*/*")
        for api in world.warm:
            assert read(api, world.address + path, None, "*/*", If_None_Match=tag) == told
    lines = read(fresh, f"{world.address}/events?limit=2", None, NDJSON)[1].splitlines()
    stream = read(world.warm[0], f"{world.address}/events?limit=2", None, SSE)[1]
    assert re.findall(rb"^data: (.*\bhash\b.*)$", stream, re.MULTILINE) == lines
    check_list(world, fresh.get(world.address).get_json())


def check_list(world: World, table: dict[str, Any]) -> None:
    for api in world.warm:
        (line,) = api.get("/v1/games").get_json()["games"]
        assert (line["status"], line["round"]) == (table["status"], table["round"])
        assert [seat["name"] for seat in line["seats"]] == [seat["name"] for seat in table["seats"]]


def check_tokens(world: World, lost: list[str]) -> None:
    """Others sit where these did."""
    for api in reversed(world.warm):
        for token in lost:
            assert code(api.post(f"{world.address}/choices", CHOICE, token)) == (401, "unauthorized")
            for path in ("", "?at=1", "/events", "/audit"):
                assert code(api.get(world.address + path, token)) == (401, "unauthorized")


def check_repeat(world: World, address: str, body: dict[str, Any], token: str | None, key: str) -> None:
    """What led to the lost version is asked again with its key: nobody remembers that it was done."""
    version = world.warm[0].get(world.address).get_json()["version"]
    reply = world.warm[1].post(address, body, token, Idempotency_Key=key)
    assert "Idempotent-Replayed" not in reply.headers
    assert reply.status_code >= 400 or reply.get_json()["version"] == version + 1
