"""Somebody who plays over HTTP and knows nothing but the contract."""

from __future__ import annotations

import json
from collections.abc import Mapping
from random import Random
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.http_player import HttpPlayer, SeatedGame
from tests.support.waiting import wait_until

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
