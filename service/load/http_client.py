"""A client and a player over HTTP: they know the calls and no rule."""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPConnection, HTTPMessage, HTTPSConnection
from random import Random
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

import msgspec


class Refused(Exception):
    """A reply of 4xx or 5xx."""


class Reply(NamedTuple):
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class HttpClient:
    """One connection that stays open."""

    def __init__(self, base: str, seconds: float = 60) -> None:
        parts = urlsplit(base)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(parts.netloc, timeout=seconds)
        self._path = parts.path.rstrip("/")

    def call(
        self,
        method: str,
        address: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        sent = dict(headers or {})
        sent |= {"Content-Type": "application/json"} if body is not None else {}
        sent |= {"Authorization": f"Bearer {token}"} if token is not None else {}
        content = None if body is None else msgspec.json.encode(body)
        self._connection.request(method, self._path + address, content, sent)
        reply = self._connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())

    def get(self, address: str, token: str | None = None) -> Any:
        return self._accepted("GET", address, None, token)

    def post(self, address: str, body: Any, token: str | None = None) -> Any:
        return self._accepted("POST", address, body, token)

    def _accepted(self, method: str, address: str, body: Any, token: str | None) -> Any:
        reply = self.call(method, address, body, token)
        if reply.status >= 300:
            raise Refused(f"{method} {address} {body}: {reply.status} {reply.body!r}")
        return reply.json

    def close(self) -> None:
        self._connection.close()


class Call(Protocol):
    """Sends a request and returns the JSON of the reply; what becomes of a refusal is its own affair."""

    def __call__(self, method: str, address: str, body: Any = None, token: str | None = None, /) -> Any: ...


class Promise(NamedTuple):
    """An answer that the service has acknowledged."""

    game: str
    ask: int
    seat: int
    choice: str
    version: int


class SeatedGame:
    """A game and the tokens of the seats that are played here."""

    def __init__(self, made: Mapping[str, Any]) -> None:
        self.id: str = made["id"]
        self.address = f"/v1/games/{self.id}"
        self.tokens: dict[int, str] = {
            seat["seat"]: seat["token"] for seat in made["seats"] if "token" in seat
        }


class HttpPlayer:
    """Sits on every seat whose token the game has, and remembers what was promised."""

    def __init__(self, call: Call, random: Random) -> None:
        self.promises: list[Promise] = []
        self.answering = False
        self._call, self._random = call, random

    def play(self, game: SeatedGame) -> Any:
        """To the end; the table then."""
        table = self._call("GET", game.address)
        while table["status"] != "over":
            table = self.go_on(game, table)
        return table

    def go_on(self, game: SeatedGame, table: Any) -> Any:
        """Answers if that is due, else waits a little; the table after it."""
        for seat in table["asks"][0]["seats"]:
            if seat in game.tokens:
                return self._answer(game, seat)
        self._call("GET", f"{game.address}/events?after={table['version']}&limit=1&wait=1")
        return self._call("GET", game.address)

    def _answer(self, game: SeatedGame, seat: int) -> Any:
        token = game.tokens[seat]
        table = self._call("GET", game.address, None, token)
        ask = next((ask for ask in table["asks"] if ask.get("options")), None)
        if ask is None:
            # The log went back meanwhile, or the clock was faster.
            return table
        choice = self._random.choice(ask["options"])["choice"]
        self.answering = True
        reply = self._call("POST", f"{game.address}/choices", {"ask": ask["ask"], "choice": choice}, token)
        self.answering = False
        self.promises.append(Promise(game.id, ask["ask"], seat, choice, reply["version"]))
        return reply["table"]
