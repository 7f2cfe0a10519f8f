"""A client of the application in this process, for seats and for players."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from flask.testing import FlaskClient
from redis import Redis
from werkzeug.test import TestResponse

from events.follower import Projector, RedisCursor
from service.container import build_backend
from tests.support.http_client import HttpPlayer, SeatedGame
from tests.support.waiting import wait_until
from workers.projector import projection_handler

NAMES = ("Anna", "Ben", "Carla", "Denny", "Emily", "Fred")


class ApiClient:
    def __init__(self, client: FlaskClient) -> None:
        self.client = client

    def get(self, address: str, token: str | None = None, **headers: str) -> TestResponse:
        return self.client.get(address, headers=_headers(token, headers))

    def post(self, address: str, body: Any, token: str | None = None, **headers: str) -> TestResponse:
        return self.send("POST", address, body, token, **headers)

    def send(
        self, method: str, address: str, body: Any = None, token: str | None = None, **headers: str
    ) -> TestResponse:
        if body is None:
            return self.client.open(address, method=method, headers=_headers(token, headers))
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Content-Type": "application/json", **_headers(token, headers)}
        return self.client.open(address, method=method, data=raw, headers=given)

    def call(self, method: str, address: str, body: Any = None, token: str | None = None, /) -> Any:
        """The JSON of a reply that has to be good; of a task that takes long, its result."""
        reply = self.get(address, token) if method == "GET" else self.post(address, body, token)
        if reply.status_code == 202:
            return self._await_result(reply.headers["Location"], token)
        assert reply.status_code in (200, 201), reply.data
        return json.loads(reply.data)

    def _await_result(self, task: str, token: str | None) -> Any:
        """The result of a task that was not done when its caller had waited long enough."""
        found: dict[str, Any] = {}

        def is_done() -> bool:
            reply = self.get(task, token)
            assert reply.status_code == 200, reply.data
            found.update(reply.get_json())
            return "result" in found

        wait_until(is_done, "the result of the task")
        return found["result"]

    def create(
        self,
        *seats: Mapping[str, Any],
        edition: str = "classic",
        options: Mapping[str, Any] | None = None,
        **headers: str,
    ) -> Game:
        plan = {"edition": edition, "options": dict(options or {}), "seats": list(seats)}
        reply = self.post("/v1/games", plan, **headers)
        assert reply.status_code == 201, reply.data
        return Game(self, json.loads(reply.data))

    def create_for(self, players: int, **plan: Any) -> Game:
        return self.create(*({"name": name} for name in NAMES[:players]), **plan)


class Game(SeatedGame):
    """A game of the application, and every call that it takes."""

    def __init__(self, api: ApiClient, made: Mapping[str, Any]) -> None:
        super().__init__(made)
        self.api = api
        self.watch_code: str = made.get("watch_code", "")

    def table(self, seat: int | None = None, query: str = "") -> dict[str, Any]:
        reply = self.api.get(self.address + query, self.tokens.get(-1 if seat is None else seat))
        assert reply.status_code == 200, reply.data
        table: dict[str, Any] = json.loads(reply.data)
        return table

    def ask(self) -> tuple[int, dict[str, Any]]:
        """A seat that is awaited, and what it is asked."""
        return self.asked(self.table())

    def asked(self, table: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        seat = table["asks"][0]["seats"][0]
        (ask,) = self.table(seat)["asks"]
        return seat, ask

    def choose(self, seat: int, ask: int, choice: str, **headers: str) -> TestResponse:
        body = {"ask": ask, "choice": choice}
        return self.api.post(f"{self.address}/choices", body, self.tokens[seat], **headers)

    def play(self, seed: int = 1) -> None:
        """To the end, each answer picked from the options."""
        HttpPlayer(self.api.call, Random(seed)).play(self)

    def version(self) -> int:
        version: int = self.table()["version"]
        return version


def _headers(token: str | None, more: Mapping[str, str]) -> dict[str, str]:
    """Headers are given as names: If_Match for If-Match. The id is one for all, so that replies compare."""
    given = {"X-Request-ID": "of-a-test"} | {name.replace("_", "-"): value for name, value in more.items()}
    return given if token is None else {"Authorization": f"Bearer {token}", **given}


class PlayerClient:
    """Somebody with a player's token."""

    def __init__(self, api: ApiClient, name: str, key: str | None = None) -> None:
        """With an API key the player belongs to the key."""
        reply = api.post("/v1/players", {"name": name}, key)
        assert reply.status_code == 201, reply.data
        made = reply.get_json()
        self.api, self.id, self.token, self.name = api, made["id"], made["token"], name

    def get(self, address: str, **headers: str) -> Any:
        """The JSON of a reply that has to be good."""
        reply = self.api.get(address, self.token, **headers)
        assert reply.status_code == 200, reply.data
        return reply.get_json()

    def set_up(self, *seats: dict[str, Any], edition: str = "classic", **options: Any) -> Game:
        """A game whose seat 0 is the player's, and whose token for it is the player's own."""
        plan = {"edition": edition, "options": options, "seats": [{"player": True}, *seats]}
        reply = self.api.post("/v1/games", plan, self.token)
        assert reply.status_code == 201, reply.data
        game = Game(self.api, reply.get_json())
        game.tokens[0] = self.token
        return game

    def sit(self, game: Game) -> int:
        reply = self.api.post(f"{game.address}/seats", {}, self.token)
        assert reply.status_code == 201, reply.data
        seat: int = reply.get_json()["seat"]
        game.tokens[seat] = self.token
        return seat


def make_projector(memory: Redis) -> Projector:
    """One that has just been started, and goes on where the last one was."""
    backend = build_backend(memory)
    cursor = RedisCursor(memory, "test", 0.01)
    return Projector(backend.store, cursor, projection_handler(backend))


def project(memory: Redis, steps: int = 3) -> None:
    """Everything that has happened until now."""
    projector = make_projector(memory)
    for _ in range(steps):
        projector.step()


def long_key(name: object) -> str:
    """A UUID, the same one for the same name."""
    return str(uuid5(NAMESPACE_OID, str(name)))


def check_tag(api: ApiClient, address: str, media: str = "application/json") -> str:
    """What does not change is sent once; the tag by which it is known."""
    tag = api.get(address, Accept=media).headers["ETag"]
    again = api.get(address, **{"Accept": media, "If-None-Match": tag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert not tag.startswith("W/")
    return tag
