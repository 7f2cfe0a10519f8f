"""How many games each creator has open: derived from the log, kept in Redis, rebuilt whenever one likes."""

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
# So many are looked at again before somebody is told that there are too many.
LOOKED_AT = 3


class OpenGames:
    """A game of a creator lies in a sorted set, with the time when somebody last saw that it is open."""

    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
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
        with translate_redis_errors():
            return int(self._redis.zcard(_PREFIX + creator))

    def look_again(self, creator: str, is_open: Callable[[str], bool]) -> None:
        """Lets go of what was missed, as in a log that was restored; each time at those longest unseen."""
        key = _PREFIX + creator
        with translate_redis_errors():
            for name in self._redis.zrange(key, 0, LOOKED_AT - 1):
                if is_open(name.decode()):
                    self._redis.zadd(key, {name: self._clock()}, xx=True)
                else:
                    self._redis.zrem(key, name)

    def forget_written(self) -> None:
        """Others may have dropped it: the next update of each game writes it again."""
        self._written = RecentlyUsed(MOST_GAMES)
