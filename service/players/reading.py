"""What a player reads: what happened in their games, which games these are, and how they went."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from service.play.cursors import decode_cursor, encode_cursor
from service.players.keys import derived_keys
from service.players.my_games import MyGame, decode_row
from service.players.news import What

BEGINNING = "0"
_MINE = "mine"
EVENT_ID = re.compile(r"0|[0-9]{1,15}-[0-9]{1,9}")


class MyEvent(Struct, frozen=True):
    """Something happened in a game of the player, at this version of it.

    After `left`, which may be the clock's doing (`takeover`), a bot answers and nothing is `asked` of the
    player, until they answer an ask or `POST /v1/games/{game}/return`: what is open is then `asked`.
    """

    id: str
    game: str
    version: int
    what: What
    seat: int


class MyEvents(Struct, frozen=True):
    """`next` is where they go on; `reset` means that the reader has missed some, and begins anew."""

    events: Sequence[MyEvent]
    next: str
    reset: bool = False


class MyGames(Struct, frozen=True):
    games: Sequence[MyGame]
    cursor: str | None


class PlayerReading:
    def __init__(self, client: Redis) -> None:
        self._redis: Any = client

    def events(self, player: str, after: str, limit: int) -> MyEvents:
        """The entry at `after` is read again: while it is there, nothing behind it is lost."""
        key = derived_keys(player)[3]
        start = "-" if after == BEGINNING else after
        with translate_redis_errors():
            found = self._redis.xrange(key, start, "+", limit + 1)
        events = [_event(position, fields) for position, fields in found]
        if after == BEGINNING:
            return _page(events[:limit], after)
        if events and events[0].id == after:
            return _page(events[1:], after)
        beginning = self.events(player, BEGINNING, limit)
        return MyEvents(beginning.events, beginning.next, reset=True)

    def games(self, player: str, awaiting: bool, cursor: str | None, limit: int) -> MyGames:
        """Newest change first. Raises BadCursor and Unavailable."""
        rows, games, awaited, *_ = derived_keys(player)
        start = "+" if cursor is None else b"(" + decode_cursor(cursor, _MINE)
        with translate_redis_errors():
            index = awaited if awaiting else games
            members = self._redis.zrevrangebylex(index, start, "-", 0, limit + 1)
            names = [member.partition(b"|")[2] for member in members[:limit]]
            found = self._redis.hmget(rows, names) if names else []
        lines = [decode_row(row) for row in found if row is not None]
        return MyGames(lines, encode_cursor(members[limit - 1], _MINE) if len(members) > limit else None)

    def counts(self, player: str) -> Mapping[str, int]:
        """How many games by status, and of each edition those that were finished and those that were won."""
        with translate_redis_errors():
            found = self._redis.hgetall(derived_keys(player)[5])
        return {name.decode(): int(count) for name, count in found.items()}


def _page(events: Sequence[MyEvent], after: str) -> MyEvents:
    return MyEvents(events, events[-1].id if events else after)


def _event(position: bytes, fields: Mapping[bytes, bytes]) -> MyEvent:
    what: Any = fields[b"w"].decode()
    return MyEvent(position.decode(), fields[b"g"].decode(), int(fields[b"v"]), what, int(fields[b"s"]))
