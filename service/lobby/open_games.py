"""Counts the open games of each creator, for the quota. Derived from the log."""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any

from redis import Redis

from events.redis import translate_redis_errors
from service.recently_used import RecentlyUsed

# Among what `Lobby.clear` drops.
_PREFIX = "croupier:{lobby}:open:"
MOST_GAMES = 10_000
# How many games are checked again before a creator is refused another one.
LOOKED_AT = 3


class OpenGames:
    """Keeps a sorted set of open games for each creator, by the time when each was last seen to be open."""

    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
        """Use the sets in that client's Redis."""
        self._redis: Any = client
        self._clock = clock
        self._written: RecentlyUsed[bool] = RecentlyUsed(MOST_GAMES)

    def update(self, game: str, creator: str, is_open: bool) -> None:
        """Add the game to its creator's open games, or remove it; skip what this process wrote last.

        Games without a creator, from before creators were recorded, are not counted.
        """
        if not creator or self._written.find(game) is is_open:
            return
        with translate_redis_errors():
            if is_open:
                self._redis.zadd(_PREFIX + creator, {game: self._clock()}, nx=True)
            else:
                self._redis.zrem(_PREFIX + creator, game)
        self._written.keep(game, is_open)

    def count(self, creator: str) -> int:
        """Return how many open games a creator has. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.zcard(_PREFIX + creator))

    def look_again(self, creator: str, is_open: Callable[[str], bool]) -> None:
        """Check a few of a creator's games, longest unchecked first, and remove those that are not open.

        A game stays counted by mistake if its end was missed, as after a restore. Raises Unavailable.
        """
        key = _PREFIX + creator
        with translate_redis_errors():
            for name in self._redis.zrange(key, 0, LOOKED_AT - 1):
                if is_open(name.decode()):
                    self._redis.zadd(key, {name: self._clock()}, xx=True)
                else:
                    self._redis.zrem(key, name)

    def forget_written(self) -> None:
        """Forget what this process wrote, so that the next update of each game writes it again."""
        self._written = RecentlyUsed(MOST_GAMES)
