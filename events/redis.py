"""Redis clients with explicit timeouts, a connection pool, and the causes of outages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Semaphore
from time import monotonic
from typing import Any

from redis import ConnectionPool, Redis, exceptions
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import ConnectionError, TimeoutError
from redis.retry import Retry

from events.store import Unavailable

CAUSES: Mapping[str, str] = {
    "archive": "the archive of finished games cannot be read or written",
    "appendonly": "Redis keeps no append-only file, and games would be lost with it",
    "contended": "too many write to this game at once",
    "disk": "the disk that keeps the log is full or does not take what is written",
    "evicting": "Redis evicts keys, and games would be lost",
    "loading": "Redis is still loading the log",
    "memory": "Redis has no memory left",
    "replicas": "too few replicas follow Redis",
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


# A connection that was used within this time is not checked again before it is used.
TRUST_SECONDS = 0.1


class FastPool(ConnectionPool):
    """redis-py's pool with fewer steps between two commands.

    With its own pool and client, half of the processor time of an append went into taking a connection.
    A caller waits while all connections are in use. A connection is checked before use, unless it was used a
    moment ago: if its server has gone since, the command fails as one that is cut off midway, and an append
    is retried with its key. The pool must not be shared with a forked process.
    """

    def __init__(self, *args: Any, timeout: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timeout = timeout
        self._free_slots = Semaphore(self.max_connections)

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        """Return the connection used last. Raises ConnectionError where none becomes free in time."""
        if not self._free_slots.acquire(timeout=self._timeout):
            raise ConnectionError("all connections are in use")
        try:
            idle: Any = self._available_connections
            connection: Any = idle.pop() if idle else self.make_connection()
        except BaseException:
            self._free_slots.release()
            raise
        self._in_use_connections.add(connection)
        if monotonic() - getattr(connection, "used_at", 0.0) > TRUST_SECONDS:
            self._prepare(connection)
        return connection

    def _prepare(self, connection: Any) -> None:
        try:
            if not _is_ready(connection):
                connection.disconnect()
                connection.connect()
        except BaseException:
            self.release(connection)
            raise

    def release(self, connection: Any) -> None:
        if connection not in self._in_use_connections:
            return
        self._in_use_connections.remove(connection)
        connection.used_at = monotonic()
        self._available_connections.append(connection)
        self._free_slots.release()


def _is_ready(connection: Any) -> bool:
    """Whether the connection is open and has no unexpected data to read."""
    connection.connect()
    try:
        return not connection.can_read()
    except (ConnectionError, TimeoutError, OSError):
        return False


def send(client: Redis, *command: Any) -> Any:
    """Send one command and return its reply, without the counters and retries of the client.

    Raises RedisError. A connection that fails is closed by redis-py and opened again when it is next used.
    """
    pool: Any = client.connection_pool
    connection = pool.get_connection()
    try:
        connection.send_command(*command)
        return connection.read_response()
    finally:
        pool.release(connection)


CONNECT_SECONDS = 2.0
REPLY_SECONDS = 5.0


def connect(url: str, connections: int = 50, reply_seconds: float = REPLY_SECONDS) -> Redis:
    """Return a client for writes and short reads; the URL is redis:// or unix://.

    It never retries a command: a retried append must go through our code, with its idempotency key.
    """
    pool = FastPool.from_url(
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
    """Whether a client can be made of this URL; it does not connect."""
    try:
        connect(url).connection_pool.make_connection()
    except (ValueError, TypeError):
        return False
    return True


def connect_blocking(url: str, longest_wait: float) -> Redis:
    """Return a client for one follower whose reads block for up to `longest_wait` seconds."""
    return connect(url, connections=2, reply_seconds=longest_wait + REPLY_SECONDS)


def is_cluster(client: object) -> bool:
    """Whether the keys of this client are spread over the servers of a cluster."""
    return isinstance(client, RedisCluster)


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
