"""Counts over all finished games: derived from the log, kept in Redis, rebuilt whenever one likes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from rules.editions import EDITIONS
from rules.state import State
from service.play.games import Games
from service.stats.boards import Board, read_boards
from service.stats.keys import BOARD, BOARDS, COUNTS, GAMES, PLACED, RATED, RATINGS, RESULTS, WAITING
from service.stats.summaries import Summary, is_counted, summarise

KEYS = (COUNTS, GAMES, RESULTS, WAITING, PLACED, RATINGS, RATED, BOARDS)


class Result(Struct, frozen=True):
    """Who played and what each had in the end: all that ratings need."""

    edition: str
    who: tuple[str, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]


class Stats:
    """The projector says which games are over, the reconciler counts them, one at a time."""

    def __init__(self, client: Redis, games: Games) -> None:
        self._redis: Any = client
        self._games = games
        self._script = client.register_script(files("service.stats").joinpath("count.lua").read_text("utf-8"))

    def note_over(self, state: State) -> None:
        """That it waits to be counted, if it is to be. May be said twice."""
        if is_counted(state) and EDITIONS.knows(state):
            with translate_redis_errors():
                self._redis.sadd(WAITING, state.game)

    def find_waiting(self) -> str | None:
        """Any game that waits. Raises Unavailable."""
        with translate_redis_errors():
            waiting = self._redis.srandmember(WAITING)
        return None if waiting is None else waiting.decode()

    def count(self, game: str) -> None:
        """Also if it was counted before. Raises Unavailable, UnknownGame, BrokenLog."""
        snapshot = self._games.snapshot(game)
        # Anybody can play a game at home in which somebody else's player loses.
        if not is_counted(snapshot.state) or snapshot.imported:
            self.forget(game)
            return
        summary = summarise(self._games.commits(game, 0, snapshot.version), snapshot.state)
        ended = write_time(snapshot.ended_at.timestamp()) if summary.winners else ""
        parts = (msgspec.json.encode(summary.counts), ended, msgspec.json.encode(_result(summary)))
        with translate_redis_errors():
            self._script(KEYS, (game, *parts, BOARD))

    def forget(self, game: str) -> None:
        """It no longer waits."""
        with translate_redis_errors():
            self._redis.srem(WAITING, game)

    def read_counts(self) -> Mapping[str, int]:
        """Every count that is not zero, by its name. Raises Unavailable."""
        with translate_redis_errors():
            found = self._redis.hgetall(COUNTS)
        return {name.decode(): int(number) for name, number in sorted(found.items()) if int(number)}

    def read_boards(self, most: int) -> list[Board]:
        """Of each so many rows. Raises Unavailable."""
        return read_boards(self._redis, most)

    def count_waiting(self) -> int:
        with translate_redis_errors():
            return int(self._redis.scard(WAITING))


def write_time(seconds: float) -> str:
    """In milliseconds, as long as all others, so that times compare as texts."""
    return f"{round(seconds * 1000):015d}"


def _result(summary: Summary) -> Result:
    return Result(summary.edition, summary.who, summary.totals, summary.winners)
