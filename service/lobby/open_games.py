"""Counts the open games of each creator and those that ended today, for the quotas. Derived from the log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from time import time
from typing import Any

from redis import Redis

from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors

# Among what `Lobby.clear` drops.
_PREFIX = "croupier:{lobby}:open:"
# All open games, whoever created them.
_ALL = "croupier:{lobby}:open"
_ENDED = "croupier:{lobby}:ended:"
DAY_SECONDS = 24 * 3600
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

        Games without a creator, from before creators were recorded, count for nobody.
        """
        if self._written.find(game) is is_open:
            return
        with translate_redis_errors():
            for key in (_ALL, _PREFIX + creator) if creator else (_ALL,):
                if is_open:
                    self._redis.zadd(key, {game: self._clock()}, nx=True)
                else:
                    self._redis.zrem(key, game)
        self._written.keep(game, is_open)

    def remove(self, game: str, creator: str) -> None:
        """Count a game no more that was removed. Raises Unavailable."""
        self.update(game, creator, is_open=False)
        with translate_redis_errors():
            self._redis.srem(self._ended_key(creator), game)

    def record_end(self, game: str, creator: str, ended_at: str) -> None:
        """Count a game among those of its creator that ended today, if it did. Raises Unavailable."""
        ended = datetime.fromisoformat(ended_at).timestamp()
        if creator and ended // DAY_SECONDS == self._clock() // DAY_SECONDS:
            key = self._ended_key(creator)
            with translate_redis_errors():
                if self._redis.sadd(key, game):
                    self._redis.expire(key, 2 * DAY_SECONDS)

    def _ended_key(self, creator: str) -> str:
        """Return the key of the games of a creator that ended today."""
        return f"{_ENDED}{self._clock() // DAY_SECONDS:.0f}:{creator}"

    def count_ended(self, creator: str) -> int:
        """Return how many games of a creator ended today. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.scard(self._ended_key(creator)))

    def seconds_left_today(self) -> int:
        """Return how many seconds this day still has, in UTC."""
        return int(DAY_SECONDS - self._clock() % DAY_SECONDS) + 1

    def count_all(self) -> int:
        """Return how many games are open. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.zcard(_ALL))

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
                    self._redis.zrem(_ALL, name)

    def forget_written(self) -> None:
        """Forget what this process wrote, so that the next update of each game writes it again."""
        self._written = RecentlyUsed(MOST_GAMES)
