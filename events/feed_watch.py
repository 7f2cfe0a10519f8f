"""Says which feeds of a cluster have new entries: no command can wait for streams in several slots.

The bell names the game of every commit, and with it the feed. What it tells is lost while the line is
broken, so all feeds are looked at after each subscription and once a second.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from time import monotonic
from typing import Any

from redis.exceptions import ConnectionError, RedisError, TimeoutError

from events.cluster import ClusterClient
from events.layout import find_layout
from events.redis_store import BELL
from events.server_url import Address

SWEEP_SECONDS = 1.0
# Messages that are read before the feeds are looked at.
MOST_MESSAGES = 1_000


class FeedWatch:
    """Waits for new entries in the feeds of a cluster. Each method raises RedisError."""

    def __init__(self, client: ClusterClient) -> None:
        self._redis = client
        self._bell: Any = None
        self._rung: set[int] = set()
        self._swept_at = -SWEEP_SECONDS

    def wait(self, positions: Mapping[int, str], seconds: float) -> list[int]:
        """Return the feeds that may have entries after these positions; wait so long for the first.

        Feeds of a server that does not answer are among them: their reader finds out.
        """
        end = monotonic() + seconds
        while True:
            self._listen(max(0.0, min(end, self._swept_at + SWEEP_SECONDS) - monotonic()))
            found = self._look(positions)
            if found or monotonic() >= end:
                return found

    def _listen(self, seconds: float) -> None:
        """Read what the bell tells, and wait so long for its first word.

        If the line breaks, because its server is away, another one is asked the next time.
        """
        if self._bell is None:
            self._bell = self._redis.pubsub()
            self._swept_at = -SWEEP_SECONDS
            seconds = 0.0
        try:
            if not self._bell.subscribed:
                self._bell.subscribe(BELL)
            for _ in range(MOST_MESSAGES):
                message = self._bell.get_message(timeout=0.0 if self._rung else seconds)
                if message is None:
                    return
                if message["type"] == "subscribe":
                    self._swept_at = -SWEEP_SECONDS
                    return
                game = message["data"].partition(b"|")[0].decode()
                self._rung.add(find_layout(self._redis).partition(game))
        except (ConnectionError, TimeoutError):
            self.close()
        except BaseException:
            self.close()
            raise

    def _look(self, positions: Mapping[int, str]) -> list[int]:
        """Return which of the feeds that have rung, or of all if it is time, may have new entries."""
        wanted: Collection[int] = self._rung & positions.keys()
        if monotonic() >= self._swept_at + SWEEP_SECONDS:
            wanted = positions.keys()
            self._swept_at = monotonic()
        self._rung = set()
        places: dict[Address, list[int]] = {}
        layout = find_layout(self._redis)
        for number in wanted:
            places.setdefault(self._redis.master_of(layout.feed_key(number)), []).append(number)
        return [number for numbers in places.values() for number in self._look_at(numbers, positions)]

    def _look_at(self, numbers: list[int], positions: Mapping[int, str]) -> list[int]:
        """Return which of these feeds, all of one server, may have new entries."""
        layout = find_layout(self._redis)
        try:
            with self._redis.pipeline(transaction=False) as asking:
                for number in numbers:
                    asking.xrange(layout.feed_key(number), f"({positions[number]}", "+", 1)
                found = asking.execute()
        except RedisError:
            return numbers
        return [number for number, entries in zip(numbers, found, strict=True) if entries]

    def close(self) -> None:
        """End the subscription; the next call begins another."""
        bell = self._bell
        self._bell = None
        if bell is not None:
            bell.close()
