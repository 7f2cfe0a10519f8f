"""People who play over HTTP: they pick from the options, and repeat whatever got no answer."""

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from random import Random
from threading import Event
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.support.waiting import wait_until


class Reply(NamedTuple):
    status: int
    headers: str
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Promise(NamedTuple):
    """An answer that the service has acknowledged."""

    game: str
    ask: int
    seat: int
    choice: str
    version: int


class HttpService:
    """Where the house is; a house that is opened again may be elsewhere."""

    def __init__(self, base: str) -> None:
        self.base = base

    def call(
        self,
        method: str,
        address: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """On a connection of its own, so that any of the server's processes may answer."""
        sent = {"Connection": "close", **(headers or {})}
        sent |= {"Content-Type": "application/json"} if body is not None else {}
        sent |= {"Authorization": f"Bearer {token}"} if token is not None else {}
        connection = HTTPConnection(urlsplit(self.base).netloc, timeout=60)
        try:
            connection.request(method, address, None if body is None else json.dumps(body), sent)
            reply = connection.getresponse()
            return Reply(reply.status, str(reply.headers), reply.read())
        finally:
            connection.close()

    def insist(self, *request: Any, **more: Any) -> Any:
        """The same request until there is an answer; only a lost one and a 503 are reasons to repeat it."""
        replies: list[Reply] = []

        def answered() -> bool:
            try:
                reply = self.call(*request, **more)
            except (OSError, HTTPException):
                return False
            replies.append(reply)
            return reply.status != 503

        wait_until(answered, f"an answer to {request[:2]}")
        assert replies[-1].status in (200, 201), replies[-1]
        return replies[-1].json


class SeatedGame:
    """A game and the tokens of its people."""

    def __init__(self, made: Mapping[str, Any]) -> None:
        self.id: str = made["id"]
        self.address = f"/v1/games/{self.id}"
        self.tokens: dict[int, str] = {
            seat["seat"]: seat["token"] for seat in made["seats"] if "token" in seat
        }


def create_game(
    door: HttpService, *seats: Mapping[str, Any], edition: str = "classic", key: str | None = None
) -> SeatedGame:
    headers = {"Idempotency-Key": key} if key else {}
    plan = {"edition": edition, "seats": list(seats)}
    return SeatedGame(door.insist("POST", "/v1/games", plan, headers=headers))


class HttpPlayer:
    """Plays two seats against two bots, one game after the other, and remembers what was promised."""

    def __init__(self, door: HttpService, edition: str, closing: Event) -> None:
        self.door, self.edition, self.closing = door, edition, closing
        self.games: list[SeatedGame] = []
        self.promises: list[Promise] = []
        self.answering = False
        self._random = Random(edition)

    @property
    def tokens(self) -> list[str]:
        return [token for game in self.games for token in game.tokens.values()]

    def play_on(self) -> None:
        while not self.closing.is_set():
            key = f"{self.edition}-{len(self.games)}"
            seats = ({"name": "Anna"}, {"bot": "greedy"}, {"name": "Ben"}, {"bot": "random"})
            game = create_game(self.door, *seats, edition=self.edition, key=key)
            self.games.append(game)
            self.play(game)

    def play(self, game: SeatedGame) -> None:
        table = self.door.insist("GET", game.address)
        while table["status"] != "over":
            table = self.go_on(game, table)

    def go_on(self, game: SeatedGame, table: Any) -> Any:
        """Answers if that is due, else waits a little; the table after it."""
        for seat in table["asks"][0]["seats"]:
            if seat in game.tokens:
                return self._answer(game, seat)
        self.door.insist("GET", f"{game.address}/events?after={table['version']}&limit=1&wait=1")
        return self.door.insist("GET", game.address)

    def _answer(self, game: SeatedGame, seat: int) -> Any:
        token = game.tokens[seat]
        (ask,) = self.door.insist("GET", game.address, token=token)["asks"]
        choice = self._random.choice(ask["options"])["choice"]
        body = {"ask": ask["ask"], "choice": choice}
        self.answering = True
        reply = self.door.insist("POST", f"{game.address}/choices", body, token)
        self.answering = False
        self.promises.append(Promise(game.id, ask["ask"], seat, choice, reply["version"]))
        return reply["table"]
