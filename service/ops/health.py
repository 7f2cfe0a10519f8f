"""Measures how late each process is with its work."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from redis import Redis

from events.follower import RedisCursor
from events.redis import translate_redis_errors
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


def measure_lags(client: Redis, clock: SteadyClock) -> list[Lag]:
    """Return the lag of every process, also of those that are not late. Raises Unavailable."""
    with translate_redis_errors():
        projector = RedisCursor(client, PROJECTOR).measure_lag()
        call = _measure_oldest_call(client)
        overdue = DueIndex(client).measure_overdue(clock())
    silences = [
        Lag(name, round(seconds, 3), f"no sign of life; it is started again after {HANG_SECONDS:.0f} s")
        for name, seconds in list_silences().items()
    ]
    return [
        Lag("projector", round(projector, 3), "since the oldest commit that is not in the lobby yet"),
        Lag("reconciler", round(overdue, 3), "since the oldest answer or end that was due"),
        Lag("workers", round(call, 3), "since the oldest call that no worker has answered yet"),
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
