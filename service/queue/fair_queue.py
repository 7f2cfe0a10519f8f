"""A fair queue: games wait in one lane per creator.

Creators share the workers' time equally, and so do the games within a lane, where those come first that
somebody waits for. Everything is derived: whatever is lost here is put in again by the reconciler.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from time import time
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis import translate_redis_errors

# One hash tag, so that all of it lies in one slot of a cluster.
_PREFIX = "croupier:{lanes}:"
_RING, _SINCE = _PREFIX + "ring", _PREFIX + "since"
# What a slice is charged with before it is known how long it takes.
EXPECTED_MILLISECONDS = 10
# How far before the others somebody begins who used no time lately: one slice.
CREDIT_MILLISECONDS = 50
# How long used time counts against a game and its creator.
MEMORY_SECONDS = 60


class QueuedGame(Struct, frozen=True):
    """A game whose turn has come, and how long it has waited; `start` is its place in the lane."""

    game: str
    creator: str
    is_awaited: bool
    start: str
    waited: float


def _script(name: str) -> str:
    return files("service.queue").joinpath(name).read_text("utf-8")


class FairQueue:
    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._put, self._take, self._charge = (
            client.register_script(_script(name)) for name in ("put.lua", "take.lua", "charge.lua")
        )
        self._redis: Any = client

    def put(self, game: str, creator: str, is_awaited: bool) -> bool:
        """Whether it is new there. A game that waits already keeps its place, or gets a better one."""
        arguments = (_PREFIX, creator, game, int(is_awaited), self._clock(), CREDIT_MILLISECONDS)
        with translate_redis_errors():
            return bool(self._put((_RING, _SINCE), arguments))

    def take(self) -> QueuedGame | None:
        """The next game, which is now the caller's to play; None where none waits."""
        with translate_redis_errors():
            found: Any = self._take((_RING, _SINCE), (_PREFIX, EXPECTED_MILLISECONDS, MEMORY_SECONDS))
        if found is None:
            return None
        game, creator, kind, start, since = (text.decode() for text in found)
        return QueuedGame(
            game, creator, kind == "awaited", start, max(0.0, self._clock() - float(since or self._clock()))
        )

    def charge(self, turn: QueuedGame, seconds: float) -> None:
        """Puts the time of a slice to the account of game and creator; before the game is put in again."""
        account = (_PREFIX, turn.creator, turn.game, turn.start)
        with translate_redis_errors():
            self._charge((_RING,), (*account, seconds * 1000, EXPECTED_MILLISECONDS, MEMORY_SECONDS))

    def waiting_games(self) -> set[str]:
        with translate_redis_errors():
            return {game.decode() for game in self._redis.hkeys(_SINCE)}
