"""How far a follower has come in each partition's feed, and what waits behind that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from redis import Redis

from events.redis_client import translate_redis_errors
from events.redis_store import feed_key
from events.store import PARTITIONS


class RedisCursor:
    """Needs a client of its own whose replies may take `seconds` longer: `redis_client.connect_blocking`."""

    def __init__(self, client: Redis, name: str, seconds: float = 1.0) -> None:
        self._redis = client
        self._key = f"croupier:cursor:{name}"
        self._block = int(seconds * 1000)

    def positions(self) -> dict[int, str]:
        with translate_redis_errors():
            stored: Any = self._redis.hgetall(self._key)
        return {int(number): position.decode() for number, position in stored.items()}

    def save(self, positions: Mapping[int, str]) -> None:
        fields: Mapping[Any, Any] = positions
        if fields:
            with translate_redis_errors():
                self._redis.hset(self._key, mapping=fields)

    def forget(self) -> None:
        """The follower catches up from the log when it starts next."""
        with translate_redis_errors():
            self._redis.delete(self._key)

    def measure_lag(self) -> float:
        """Seconds since the oldest entry that is not handled yet was written, by the server's clock."""
        positions = self.positions()
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as asking:
            for number in range(PARTITIONS):
                after = positions.get(number)
                asking.xrange(feed_key(number), f"({after}" if after else "-", "+", 1)
            asking.time()
            *feeds, (seconds, micros) = asking.execute()
        waiting = [int(entries[0][0].partition(b"-")[0]) / 1000 for entries in feeds if entries]
        return max(0.0, seconds + micros / 1e6 - min(waiting)) if waiting else 0.0

    def await_news(self, positions: Mapping[int, str], at_once: bool = False) -> list[int]:
        """The partitions with entries after these positions; waits for the first, a bounded time or not."""
        feeds = {feed_key(number).encode(): number for number in positions}
        streams: dict[Any, Any] = {feed: positions[number] for feed, number in feeds.items()}
        with translate_redis_errors():
            found: Any = self._redis.xread(streams, count=1, block=None if at_once else self._block)
        return [feeds[feed] for feed, _ in found or ()]
