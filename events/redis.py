"""Redis clients with explicit timeouts, and the causes of outages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeGuard

from redis import Redis, exceptions
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.cluster import ClusterClient, connect_to_cluster
from events.pool import CONFIRM_SECONDS, FastPool
from events.sentinel import make_sentinel_pool
from events.server_url import is_cluster_url, is_sentinel_url
from events.store import Unavailable

CAUSES: Mapping[str, str] = {
    "archive": "the archive of finished games cannot be read or written",
    "appendonly": "Redis keeps no append-only file, and games would be lost with it",
    "contended": "too many write to this game at once",
    "disk": "the disk that keeps the log is full or does not take what is written",
    "evicting": "Redis evicts keys, and games would be lost",
    "loading": "Redis is still loading the log",
    "memory": "Redis has no memory left",
    "replicas": "too few replicas of Redis confirm what is written",
    "role": "Redis is a replica, not the master",
    "unreachable": "Redis cannot be reached",
    "version": "Redis is too old",
}
# Error codes of a server that answers but refuses writes. Older servers wrap them in the error of a script,
# and redis-py removes the code where it has an exception class for it.
_REFUSALS: Mapping[str, str] = {
    "OOM": "memory",
    "MISCONF": "disk",
    "READONLY": "role",
    "NOREPLICAS": "replicas",
}
_KINDS: Mapping[type[exceptions.RedisError], str] = {
    exceptions.BusyLoadingError: "loading",
    exceptions.ReadOnlyError: "role",
    exceptions.OutOfMemoryError: "memory",
    exceptions.ClusterDownError: "unreachable",
    exceptions.TryAgainError: "unreachable",
    # Also where a slot was moved; such replies are followed, unless it is moved again and again.
    exceptions.AskError: "unreachable",
    exceptions.ConnectionError: "unreachable",
    exceptions.TimeoutError: "unreachable",
}
_CODES = re.compile(rf"\b({'|'.join(_REFUSALS)})\b")


def name_cause(fault: exceptions.RedisError) -> str | None:
    """Return the key of CAUSES that explains an error; None where it is a fault of this program."""
    for kind, cause in _KINDS.items():
        if isinstance(fault, kind):
            return cause
    if not isinstance(fault, exceptions.ResponseError):
        return None
    code = _CODES.search(str(fault))
    return _REFUSALS[code[1]] if code else None


CONNECT_SECONDS = 2.0
REPLY_SECONDS = 5.0
# With sentinels or in a cluster another server takes over within seconds: to wait longer helps nobody.
FAILOVER_CONNECT_SECONDS = 0.5
FAILOVER_REPLY_SECONDS = 2.0


def connect(
    url: str,
    connections: int = 50,
    reply_seconds: float | None = None,
    replicas: int = 0,
    confirm_seconds: float = CONFIRM_SECONDS,
) -> Redis:
    """Return a client for writes and short reads.

    The URL is redis://, rediss:// or unix://; with `+sentinel` the master is the one that sentinels name, and
    with `+cluster` each command goes to the master that has its keys.
    `replicas` is how many of them must have what `events.durability` writes, and `confirm_seconds` how long
    they may take. The client never retries a command: a retried append must go through our code, with its
    idempotency key.
    """
    fails_over = is_sentinel_url(url) or is_cluster_url(url)
    longest = reply_seconds or (FAILOVER_REPLY_SECONDS if fails_over else REPLY_SECONDS)
    options: dict[str, Any] = {
        "max_connections": connections,
        "timeout": longest,
        "replicas": replicas,
        "confirm_seconds": confirm_seconds,
        "socket_connect_timeout": FAILOVER_CONNECT_SECONDS if fails_over else CONNECT_SECONDS,
        "socket_timeout": longest,
        "retry": Retry(NoBackoff(), 0),
        "protocol": 2,
    }
    if is_cluster_url(url):
        return connect_to_cluster(url, **options)
    make_pool = make_sentinel_pool if fails_over else FastPool.from_url
    return Redis.from_pool(make_pool(url, **options))


def is_well_formed(url: str) -> bool:
    """Whether a client can be made of this URL; it does not connect."""
    try:
        connect(url).connection_pool.make_connection()
    except (ValueError, TypeError):
        return False
    return True


def connect_blocking(url: str, longest_wait: float) -> Redis:
    """Return a client for one follower whose reads block for up to `longest_wait` seconds."""
    fails_over = is_sentinel_url(url) or is_cluster_url(url)
    reply_seconds = FAILOVER_REPLY_SECONDS if fails_over else REPLY_SECONDS
    return connect(url, connections=8, reply_seconds=longest_wait + reply_seconds)


def is_cluster(client: object) -> TypeGuard[ClusterClient]:
    """Whether the keys of this client are spread over the servers of a cluster."""
    return isinstance(client, ClusterClient)


@contextmanager
def translate_redis_errors() -> Iterator[None]:
    """Raise Unavailable, with its cause, for every error that means that Redis is down or refuses writes."""
    try:
        yield
    except exceptions.RedisError as fault:
        cause = name_cause(fault)
        if cause is None:
            raise
        raise Unavailable(str(fault), cause) from fault
