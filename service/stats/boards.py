"""Ratings as they are kept: by edition and number of players, the strongest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from service.stats.keys import BOARD, BOARDS, RATINGS


class Rating(Struct, frozen=True):
    """As openskill has it."""

    mu: float
    sigma: float
    games: int = 0
    won: int = 0

    @property
    def ordinal(self) -> float:
        """What somebody is worth at the least, with near certainty."""
        return round(self.mu - 3 * self.sigma, 4)


class Row(Struct, frozen=True):
    """Somebody on a board: `bot:expert` or `player:p_…`."""

    who: str
    rating: Rating


class Board(Struct, frozen=True):
    edition: str
    players: int
    rows: Sequence[Row]


def rated_name(edition: str, players: int, who: str) -> str:
    return f"{edition}|{players}|{who}"


def board_of(name: str) -> str:
    return name.rpartition("|")[0]


def read_boards(client: Redis, most: int) -> list[Board]:
    """Of each so many rows. Raises Unavailable."""
    redis: Any = client
    with translate_redis_errors():
        boards = sorted(name.decode() for name in redis.smembers(BOARDS))
        return [_read_board(redis, name, most) for name in boards]


def _read_board(redis: Any, board: str, most: int) -> Board:
    edition, _, players = board.partition("|")
    names = [name.decode() for name in redis.zrevrange(BOARD + board, 0, most - 1)]
    found = redis.hmget(RATINGS, names) if names else []
    rows = [
        Row(name.rpartition("|")[2], msgspec.json.decode(raw, type=Rating))
        for name, raw in zip(names, found, strict=True)
    ]
    return Board(edition, int(players), rows)
