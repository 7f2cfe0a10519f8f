"""The one player over HTTP: knows the calls and no rule, and picks from the options it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple, Protocol


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
        (ask,) = self._call("GET", game.address, None, token)["asks"]
        choice = self._random.choice(ask["options"])["choice"]
        self.answering = True
        reply = self._call("POST", f"{game.address}/choices", {"ask": ask["ask"], "choice": choice}, token)
        self.answering = False
        self.promises.append(Promise(game.id, ask["ask"], seat, choice, reply["version"]))
        return reply["table"]
