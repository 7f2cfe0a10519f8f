"""Plays, follows and reads games: `Croupier` is a service, `Seat` a seat in a game."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from croupier_client.transport import Transport
from croupier_client.types import (
    ChoiceReply,
    Commit,
    Edition,
    FeedEvent,
    GameReply,
    OpenAsk,
    PlayerReply,
    Table,
)

# How long one request waits for news at the service.
WAIT_SECONDS = 25
PATIENCE_SECONDS = 60.0
# Markdown is text, too, and the guides are written in it.
TEXT = "text/plain, text/markdown;q=0.9"
_OVER = "over"
# Where a feed begins, as far as it is kept.
_BEGINNING = "0"


class FeedReset(Exception):
    """Events of the feed were missed; read what you need anew, and go on with `after`."""

    def __init__(self, after: str) -> None:
        super().__init__("events of the feed were missed")
        self.after = after


class Croupier:
    """A service. `token` is that of a player, or an API key; with `player` the key acts for that player.

    It has one connection: each thread needs a client of its own.
    """

    def __init__(
        self,
        base: str = "http://127.0.0.1:8000",
        token: str | None = None,
        player: str | None = None,
        language: str = "en",
        patience: float = PATIENCE_SECONDS,
        headers: Mapping[str, str] | None = None,
        beside: Croupier | None = None,
    ) -> None:
        """Use the service at `base`. Requests are repeated for up to `patience` seconds.

        `headers` are sent with every request, such as the `X-Forwarded-For` of a program that serves others.
        With `beside` requests go over the connection of another client of the same service.
        """
        self.base = base
        self._language = language
        self._patience = patience
        self._headers = dict(headers or {})
        own = {"Accept-Language": language, **({"Croupier-Player": player} if player else {})}
        shared = beside._transport if beside else None
        self._transport: Transport = Transport(base, token, {**self._headers, **own}, patience, shared)
        self._token = token

    def acting_for(self, player: str) -> Croupier:
        """Return the same service with the API key acting for one of its players, over this connection."""
        return self._with_token(self._token, player, beside=self)

    def _with_token(
        self, token: str | None, player: str | None = None, beside: Croupier | None = None
    ) -> Croupier:
        return Croupier(self.base, token, player, self._language, self._patience, self._headers, beside)

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Send any request under /v1 until it is answered, and return the JSON of the reply."""
        return self._transport.call(method, f"/v1{path}", body, query)

    def text(self, path: str, **query: Any) -> str:
        """Return what the service has at this address as text: tables, rules and guides."""
        return cast(str, self._transport.call("GET", path, None, query, accept=TEXT))

    def editions(self) -> list[Edition]:
        """Return what can be played, with options and tiles."""
        return cast(list[Edition], self.call("GET", "/editions")["editions"])

    def create_player(self, name: str) -> PlayerReply:
        """Create a player; the reply has the token."""
        return cast(PlayerReply, self.call("POST", "/players", {"name": name}))

    def create_game(
        self,
        edition: str,
        seats: Sequence[Mapping[str, Any]],
        options: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> GameReply:
        """Create a game; `more` are further members, such as `visibility` and `sandbox`."""
        body = {"edition": edition, "seats": list(seats), "options": dict(options or {}), **more}
        return cast(GameReply, self.call("POST", "/games", body))

    def seats_of(self, game: GameReply) -> list[Seat]:
        """Return the seats of a new game that came with a token."""
        return [
            self._seat(game["id"], token)
            for seat in game["seats"]
            if (token := seat.get("token")) is not None
        ]

    def sit_down(self, game: str, name: str | None = None, code: str | None = None) -> Seat:
        """Take an open seat: by a name, or as the player whose token this client has."""
        body = {key: value for key, value in (("name", name), ("code", code)) if value is not None}
        sat = self.call("POST", f"/games/{game}/seats", body)
        return self._seat(game, sat.get("token") or self._token)

    def seat(self, game: str, token: str | None = None) -> Seat:
        """Return the seat of this token, or of the player whose token this client has."""
        return self._seat(game, token or self._token)

    def _seat(self, game: str, token: str | None) -> Seat:
        if token == self._token:
            return Seat(self, game)
        return Seat(self._with_token(token), game)

    def table(self, game: str, at: int | None = None) -> Table:
        """Return the table as this client may see it, now or at an earlier version."""
        return cast(Table, self.call("GET", f"/games/{game}", at=at))

    def table_text(self, game: str, at: int | None = None) -> str:
        """Return the table as compact text; each option is a line that begins with its `choice`."""
        return self.text(f"/v1/games/{game}", at=at)

    def commits(self, game: str, after: int = 0, sentences: bool = False) -> Iterator[Commit]:
        """Yield the commits of a game as they come, until it is over; a stream that breaks is resumed."""
        last = after
        query = {"after": after, "sentences": "true" if sentences else None}
        while True:
            for event, data, position in self._events(f"/v1/games/{game}/events", query, last):
                if event == _OVER:
                    return
                if event == "reset":
                    last = data["version"]
                elif event in ("", "message", "commit"):
                    last = int(position.partition("-")[0])
                    yield cast(Commit, data)
            if self.table(game)["status"] == _OVER and self._is_read(game, last):
                return

    def _is_read(self, game: str, last: int) -> bool:
        return not self.call("GET", f"/games/{game}/events", after=last, limit=1)["commits"]

    def _events(self, path: str, query: Mapping[str, Any], last: int) -> Iterator[tuple[str, Any, str]]:
        """Yield type, data and id of the events of a stream; one that was cut is not yielded."""
        event = data = position = ""
        for line in self._transport.lines(path, {**query, "after": last}, None):
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                event = value
            elif name == "id":
                position = value
            elif name == "data":
                data += value
            elif not line:
                if data:
                    yield event, json.loads(data), position
                event = data = ""

    def feed(self, after: str | None = None) -> Iterator[FeedEvent]:
        """Yield what happens in games of this key or player, or without a token in all public games.

        To go on later, keep the `id` of the last event. Raises FeedReset when events were missed.
        """
        while True:
            page = self._transport.call(
                "GET", "/v1/feed", None, {"after": after, "wait": WAIT_SECONDS}, wait=WAIT_SECONDS
            )
            if page.get("reset"):
                raise FeedReset(_BEGINNING)
            yield from page["events"]
            after = page["next"]

    def ticket(self, game: str | None = None) -> str:
        """Return a ticket, good once within a minute, for a game's stream or for the player's own."""
        body = {"game": game} if game else {"me": True}
        return cast(str, self.call("POST", "/tickets", body)["ticket"])

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()


class Seat:
    """A seat in a game, played with its token."""

    def __init__(self, service: Croupier, game: str) -> None:
        """Use a service with the token of the seat, or of the player who sits there."""
        self.service = service
        self.game = game

    def table(self) -> Table:
        """Return the table as the seat may see it."""
        return self.service.table(self.game)

    def turns(self) -> Iterator[OpenAsk]:
        """Yield what the seat is asked, each time it is, until the game is over."""
        while (table := self.table())["status"] != _OVER:
            mine = [ask for ask in table["asks"] if ask["yours"]]
            if mine:
                yield mine[0]
            else:
                self.wait(table["version"])

    def wait(self, version: int, seconds: int = WAIT_SECONDS) -> None:
        """Wait until the game is past this version, for so many seconds at most."""
        self.service._transport.call(
            "GET",
            f"/v1/games/{self.game}/events",
            None,
            {"after": version, "limit": 1, "wait": seconds},
            wait=seconds,
        )

    def choose(self, ask: OpenAsk, choice: str) -> ChoiceReply:
        """Answer an ask. The same answer twice gives the same reply, so that it can be repeated."""
        body = {"ask": ask["ask"], "choice": choice}
        return cast(ChoiceReply, self.service.call("POST", f"/games/{self.game}/choices", body))
