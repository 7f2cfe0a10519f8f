"""How often each caller did something in a while: counted here, and told to Redis in portions."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from time import time

from limits import RateLimitItem
from limits.storage import RedisStorage
from redis import Redis
from redis.exceptions import RedisError

from service.play.recently_used import RecentlyUsed

# One hash tag, so that all of it lies in one slot of a cluster, and in none of a game's.
_PREFIX = "croupier:{limits}"
MOST_CALLERS = 20_000
# A process tells Redis what it counted, and hears what others did, when it has this share of the limit.
PORTION = 100
# A Redis that does not answer is left alone for so long; meanwhile each process counts for itself.
AWAY_SECONDS = 2.0


class Window:
    """What is known of one caller in one stretch of time; `untold` is what others do not know yet."""

    __slots__ = ("count", "end", "untold")

    def __init__(self, end: float) -> None:
        self.count = self.untold = 0
        self.end = end


class RequestCounts:
    """Limits of a hundred and less are exact; of larger ones each process may be a hundredth behind."""

    def __init__(self, client: Redis, clock: Callable[[], float] = time) -> None:
        pool = client.connection_pool
        self._storage = RedisStorage("redis://", connection_pool=pool, key_prefix=_PREFIX)
        self._clock = clock
        self._windows: RecentlyUsed[Window] = RecentlyUsed(MOST_CALLERS)
        self._away_until = 0.0

    def count(self, name: str, item: RateLimitItem, who: str) -> tuple[int, float]:
        """How often by now, this time included unless it is too often, and seconds until it counts anew."""
        now, key = self._clock(), f"{name}|{who}"
        window = self._windows.find(key)
        if window is None or now >= window.end:
            length = item.get_expiry()
            window = Window((now // length + 1) * length)
            self._windows.keep(key, window)
        if window.count <= item.amount:
            self._add(window, name, item, who, now)
        return window.count, window.end - now

    def _add(self, window: Window, name: str, item: RateLimitItem, who: str, now: float) -> None:
        window.count += 1
        window.untold += 1
        if window.untold * PORTION >= item.amount and now >= self._away_until:
            self._tell(window, item.key_for(name, _hash(who), int(window.end)), item.get_expiry())

    def _tell(self, window: Window, key: str, seconds: int) -> None:
        told, window.untold = window.untold, 0
        try:
            window.count = max(window.count, self._storage.incr(key, seconds, told))
        except RedisError:
            window.untold += told
            self._away_until = self._clock() + AWAY_SECONDS


def _hash(who: str) -> str:
    """No token leaves the process."""
    return sha256(who.encode()).hexdigest()[:32]
