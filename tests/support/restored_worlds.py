"""A card game with three people, kept at every version, under processes that know all of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis
from flask import Flask, Response
from flask.testing import FlaskClient
from msgspec import Struct

from events.follower import Projector, RedisCursor
from events.redis import connect, connect_blocking
from service.container import build_backend
from service.lobby.rebuild import PROJECTOR
from tests.support.api_client import ApiClient
from tests.support.app import open_apps_on
from tests.support.keys import long_key
from tests.support.restored_logs import Keys, dump_everything, restore_everything
from workers.projector import make_projector

PLAN = {"edition": "cards", "options": {}, "seats": [{"player": True}, {"open": True}, {"open": True}]}
# The first is created, two sit down, and from then on everybody plays.
SEATED = 3
MOST_MOVES = 3


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
        key, anna = long_key("the game"), apis[0].post("/v1/players", {"name": "Anna"}).get_json()
        self.tokens[0] = anna["token"]
        made = apis[0].post("/v1/games", PLAN, self.tokens[0], Idempotency_Key=key).get_json()
        self.game = made["id"]
        self.address = f"/v1/games/{self.game}"
        self.points: dict[int, Point] = {}
        self._keep("/v1/games", PLAN, self.tokens[0], key)

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


@contextmanager
def open_world(url: str) -> Iterator[World]:
    """On an empty server."""
    with (
        open_apps_on(url, 2) as apps,
        connect(url) as client,
        connect_blocking(url, 1) as waiting,
    ):
        projector = make_projector(build_backend(client), RedisCursor(waiting, PROJECTOR))
        projector.step()
        made = World(client, [open_client(app) for app in apps], projector)
        made.play_to_the_end()
        yield made
