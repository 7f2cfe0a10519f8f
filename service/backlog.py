"""How far each process is behind, measured from outside: one that is stopped says nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from redis import Redis

from events.redis_client import translate_redis_errors
from events.redis_cursor import RedisCursor
from service.heartbeats import HANG_SECONDS, list_silences
from service.rebuild import PROJECTOR

# Below this a process is only busy.
BEHIND_SECONDS = 3.0
_QUEUES = "rq:queues"


class Lag(Struct, frozen=True):
    """What waits for which process, and since how many seconds."""

    process: str
    seconds: float
    detail: str


def measure_lags(client: Redis) -> list[Lag]:
    """Of all processes, also of those that keep up. Raises Unavailable."""
    with translate_redis_errors():
        projector = RedisCursor(client, PROJECTOR).measure_lag()
        nudge = _measure_oldest_nudge(client)
    silences = [
        Lag(name, round(seconds, 3), f"no sign of life; it is started again after {HANG_SECONDS:.0f} s")
        for name, seconds in list_silences().items()
    ]
    return [
        Lag("projector", round(projector, 3), "since the oldest commit that is not in the lobby yet"),
        Lag("workers", round(nudge, 3), "since the oldest nudge that no worker has taken yet"),
        *silences,
    ]


def select_behind(lags: list[Lag]) -> list[Lag]:
    return [lag for lag in lags if lag.seconds > BEHIND_SECONDS]


def _measure_oldest_nudge(client: Redis) -> float:
    queues: Any = client.smembers(_QUEUES)
    with client.pipeline(transaction=False) as asking:
        for queue in queues:
            asking.lindex(queue, 0)
        oldest = [job for job in asking.execute() if job]
    with client.pipeline(transaction=False) as asking:
        for job in oldest:
            asking.hget(b"rq:job:" + job, "enqueued_at")
        stamps = [stamp for stamp in asking.execute() if stamp]
    now = datetime.now(UTC)
    waits = [(now - datetime.fromisoformat(stamp.decode())).total_seconds() for stamp in stamps]
    return max([0.0, *waits])
