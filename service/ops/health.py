"""Measures how late each process is with its work."""

from __future__ import annotations

from datetime import UTC, datetime
from time import monotonic
from typing import Any

from msgspec import Struct
from redis import Redis

from events.follower import RedisCursor
from events.redis import translate_redis_errors
from events.store import Unavailable
from service.lobby.due_index import DueIndex
from service.lobby.rebuild import PROJECTOR
from service.queue.scheduler import QUEUE
from service.run_folder import HANG_SECONDS, list_silences
from service.steady_clock import SteadyClock

# A process that is less late than this is only busy.
BEHIND_SECONDS = 3.0
_QUEUE = f"rq:queue:{QUEUE}"


class Lag(Struct, frozen=True):
    """What waits for which process, and since how many seconds."""

    process: str
    seconds: float
    detail: str


class QueueWatch:
    """Measures how long calls wait for a worker, and since when a queue of its own is away."""

    def __init__(self, client: Redis) -> None:
        """Look at the queue in that client's Redis."""
        self._redis = client
        self._away_since: float | None = None

    def measure(self) -> Lag:
        """Return the lag of the workers: a queue that is away stops bots and nothing else."""
        try:
            with translate_redis_errors():
                seconds = _measure_oldest_call(self._redis)
        except Unavailable:
            self._away_since = self._away_since or monotonic()
            away = round(monotonic() - self._away_since, 3)
            return Lag("workers", away, "the Redis of the queue is away; bots go on when it is back")
        self._away_since = None
        return Lag("workers", round(seconds, 3), "since the oldest call that no worker has answered yet")


def measure_lags(client: Redis, clock: SteadyClock, queue: QueueWatch) -> list[Lag]:
    """Return the lag of every process, also of those that are not late. Raises Unavailable."""
    with translate_redis_errors():
        projector = RedisCursor(client, PROJECTOR).measure_lag()
        overdue = DueIndex(client).measure_overdue(clock())
    silences = [
        Lag(name, round(seconds, 3), f"no sign of life; it is started again after {HANG_SECONDS:.0f} s")
        for name, seconds in list_silences().items()
    ]
    return [
        Lag("projector", round(projector, 3), "since the oldest commit that is not in the lobby yet"),
        Lag("reconciler", round(overdue, 3), "since the oldest answer or end that was due"),
        queue.measure(),
        *silences,
    ]


def select_behind(lags: list[Lag]) -> list[Lag]:
    """Return the lags that are more than a busy process has."""
    return [lag for lag in lags if lag.seconds > BEHIND_SECONDS]


def _measure_oldest_call(client: Redis) -> float:
    """Return the seconds since the oldest job in RQ's queue was put there."""
    oldest: Any = client.lindex(_QUEUE, 0)
    stamp: Any = client.hget(b"rq:job:" + oldest, "enqueued_at") if oldest else None
    if not stamp:
        return 0.0
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(stamp.decode())).total_seconds())
