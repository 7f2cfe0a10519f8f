"""A fair queue: games wait in one lane per creator.

Creators share the workers' time equally, and so do the games within a lane; games that a person waits for
come first. Everything here is derived: the reconciler puts in again what is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.resources import files
from time import time
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis import translate_redis_errors
from events.script_batch import ScriptBatch, ScriptCall

# A game, its creator, and whether a person awaits the answer of a bot there.
DueGame = tuple[str, str, bool]
# One hash tag, so that all of it lies in one slot of a cluster.
_PREFIX = "croupier:{lanes}:"
_RING = _PREFIX + "ring"
_SINCE = _PREFIX + "since"
# The cost of a slice when it begins, before its duration is known.
EXPECTED_MILLISECONDS = 10
# The lead of a creator who has used no time lately: one slice.
CREDIT_MILLISECONDS = 50
# How long used time counts against a game and its creator.
MEMORY_SECONDS = 60


class QueuedGame(Struct, frozen=True):
    """Holds a game that was taken from the queue.

    `start` was its place in the lane, `waited` is how long it waited there, in seconds.
    """

    game: str
    creator: str
    is_awaited: bool
    start: str
    waited: float


def _script(name: str) -> str:
    """Return the text of a Lua script of this package."""
    return files("service.queue").joinpath(name).read_text("utf-8")


class FairQueue:
    """Queues games so that creators share the workers' time equally."""

    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
        """Use the queue in that client's Redis."""
        self._clock = clock
        self._put, self._take, self._charge = (
            client.register_script(_script(name)) for name in ("put.lua", "take.lua", "charge.lua")
        )
        self._redis: Any = client

    def put(self, game: str, creator: str, is_awaited: bool) -> bool:
        """Put a game into its creator's lane; return False if it waits there already.

        A game that waits already moves forward if a person has begun to wait for it. Raises Unavailable.
        """
        return bool(self._prepare_put(game, creator, is_awaited).run())

    def put_all(self, games: Iterable[DueGame]) -> None:
        """Put games into the lanes of their creators, as `put` does, at once. Raises Unavailable."""
        batch = ScriptBatch(self._redis)
        for game, creator, is_awaited in games:
            batch.add(game, self._prepare_put(game, creator, is_awaited))
        batch.send()

    def _prepare_put(self, game: str, creator: str, is_awaited: bool) -> ScriptCall:
        """Return the script that puts a game into its creator's lane, and replies 1 if it is new there."""
        arguments = (_PREFIX, creator, game, int(is_awaited), self._clock(), CREDIT_MILLISECONDS)
        return ScriptCall(self._put, (_RING, _SINCE), arguments)

    def take(self) -> QueuedGame | None:
        """Take the next game out of the queue and return it, or None if none waits. Does not block.

        Charges it with the time that a slice usually takes, until `charge` corrects that. Raises Unavailable.
        """
        with translate_redis_errors():
            found: Any = self._take((_RING, _SINCE), (_PREFIX, EXPECTED_MILLISECONDS, MEMORY_SECONDS))
        if found is None:
            return None
        game, creator, kind, start, since = (text.decode() for text in found)
        return QueuedGame(
            game, creator, kind == "awaited", start, max(0.0, self._clock() - float(since or self._clock()))
        )

    def charge(self, turn: QueuedGame, seconds: float) -> None:
        """Charge game and creator with the time that a slice took, before the game is put in again.

        Raises Unavailable.
        """
        account = (_PREFIX, turn.creator, turn.game, turn.start)
        with translate_redis_errors():
            self._charge((_RING,), (*account, seconds * 1000, EXPECTED_MILLISECONDS, MEMORY_SECONDS))

    def waiting_games(self) -> set[str]:
        """Return the ids of all games that wait. Raises Unavailable."""
        with translate_redis_errors():
            return {game.decode() for game in self._redis.hkeys(_SINCE)}
