"""Connections to Redis with every time limit said aloud."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.outages import name_cause
from events.redis_pool import Connections
from events.store import Unavailable

CONNECT_SECONDS = 2.0
REPLY_SECONDS = 5.0


def connect(url: str, connections: int = 50, reply_seconds: float = REPLY_SECONDS) -> Redis:
    """A client for writing and short reads; redis:// or unix://.

    It never repeats a command by itself: a repeated append must carry its key through our own hands.
    """
    pool = Connections.from_url(
        url,
        max_connections=connections,
        timeout=reply_seconds,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=reply_seconds,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
    return Redis.from_pool(pool)


def is_well_formed(url: str) -> bool:
    """Whether a client can be made of this; nothing is connected."""
    try:
        connect(url).connection_pool.make_connection()
    except (ValueError, TypeError):
        return False
    return True


def connect_blocking(url: str, longest_wait: float) -> Redis:
    """A client for one follower whose reads wait at the server for up to this many seconds."""
    return connect(url, connections=2, reply_seconds=longest_wait + REPLY_SECONDS)


@contextmanager
def translate_redis_errors() -> Iterator[None]:
    """Every way in which Redis can be away or refuse a write comes out as Unavailable, with its cause."""
    try:
        yield
    except exceptions.RedisError as fault:
        cause = name_cause(fault)
        if cause is None:
            raise
        raise Unavailable(str(fault), cause) from fault
