"""Connections to Redis with every time limit said aloud."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from redis import BlockingConnectionPool, Redis, exceptions
from redis.backoff import NoBackoff
from redis.connection import DefaultParser
from redis.retry import Retry

from events.outages import name_cause
from events.store import Unavailable

CONNECT_SECONDS = 2.0
REPLY_SECONDS = 5.0

# How long an answer vouches for its connection.
TRUSTED_SECONDS = 0.1


class TrustingParser(DefaultParser):  # type: ignore[misc, valid-type]
    """redis-py's pool asks the socket before every command whether it was closed meanwhile.

    One that answered a moment ago is taken as it is. Should its server have gone since, the command fails as
    any does whose server goes away in the middle of it: Unavailable, and an append is repeated with its key.
    """

    _answered = 0.0

    def read_response(self, *args: Any, **options: Any) -> Any:
        reply = super().read_response(*args, **options)
        self._answered = monotonic()
        return reply

    def can_read(self, timeout: float = 0) -> bool:
        if timeout == 0 and monotonic() - self._answered < TRUSTED_SECONDS:
            return bool(self._reader is None or self._reader.has_data())
        return bool(super().can_read(timeout))


def connect(url: str, connections: int = 50, reply_seconds: float = REPLY_SECONDS) -> Redis:
    """A client for writing and short reads; redis:// or unix://.

    It never repeats a command by itself: a repeated append must carry its key through our own hands.
    """
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=reply_seconds,
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=reply_seconds,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        parser_class=TrustingParser,
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
