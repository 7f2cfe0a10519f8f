"""Redis clients with explicit timeouts, a connection pool, and checks of the server's configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Semaphore
from time import monotonic
from typing import Any

from msgspec import Struct
from redis import ConnectionPool, Redis, exceptions
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError, TimeoutError
from redis.retry import Retry

from events.store import Unavailable

CAUSES: Mapping[str, str] = {
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


OLDEST = (6, 2)
# This list never exists: adding to a missing list changes nothing, and is refused where a write would be.
PROBE = "croupier:probe"


class Requirement(Struct, frozen=True):
    """A field of INFO, the condition that it must meet, and what to report where it does not."""

    name: str
    holds: Callable[[Any], bool]
    cause: str
    complaint: str


# Settings of the server: an operator has to change them.
SETTINGS = (
    Requirement(
        "redis_version",
        lambda value: _parse_version(value) >= OLDEST,
        "version",
        complaint="its version is too old: use 6.2 or newer",
    ),
    Requirement(
        "maxmemory_policy",
        lambda value: value == "noeviction",
        "evicting",
        complaint="maxmemory-policy is {} and games could be evicted: set maxmemory-policy noeviction",
    ),
    Requirement(
        "aof_enabled",
        lambda value: value == 1,
        "appendonly",
        complaint="appendonly is off (aof_enabled {}) and games are lost with the process: "
        "set appendonly yes",
    ),
    Requirement(
        "role",
        lambda value: value == "master",
        "role",
        complaint="it is a {}, not the master: use the master's address",
    ),
)
# Its present state: this may pass.
STATE = (
    Requirement(
        "aof_last_write_status",
        lambda value: value == "ok",
        "disk",
        complaint="the last write of the append-only file went wrong ({}): look at its disk",
    ),
)


class RedisFound(Struct, frozen=True, omit_defaults=True):
    """What a server says of itself; `appendfsync` is left out where it does not allow CONFIG GET."""

    server: str
    version: str
    appendonly: bool
    maxmemory_policy: str
    role: str
    appendfsync: str | None = None


class MemoryUse(Struct, frozen=True):
    """The bytes that count towards maxmemory, and maxmemory itself; 0 for no limit."""

    used: int
    most: int


class Loading(Struct, frozen=True):
    """The progress of a server that is loading its log."""

    loaded_bytes: int
    percent: float
    seconds_left: int


class Inspection(Struct, frozen=True):
    """The result of checking a server.

    `unfit` lists wrong settings, `troubles` what is wrong at the moment, `warnings` what can be tolerated.
    `cause` is a key of CAUSES where a commit would not be kept, else None.
    """

    found: RedisFound
    unfit: list[str] = []
    troubles: list[str] = []
    warnings: list[str] = []
    cause: str | None = None
    loading: Loading | None = None


def inspect_server(client: Redis) -> Inspection:
    """Check settings and state of a server, and try a write that changes nothing. Raises Unavailable."""
    with translate_redis_errors():
        info: Mapping[str, Any] = client.info()
        appendfsync = _read_appendfsync(client)
        found = _describe_server(info, appendfsync)
        if info.get("loading"):
            # Until the file is loaded the server reports that there is none.
            return _describe_loading(found, info)
        refusal = _try_write(client)
    unfit = find_faults(info, SETTINGS)
    wrong = find_faults(info, STATE)
    causes = [requirement.cause for requirement in unfit + wrong]
    if refusal:
        causes.append(refusal)
    troubles = _complaints(info, wrong)
    if refusal and not unfit + wrong:
        troubles.append(CAUSES[refusal])
    return Inspection(
        found,
        _complaints(info, unfit),
        troubles,
        warnings=_warnings(appendfsync),
        cause=next(iter(causes), None),
    )


def read_loading(client: Redis) -> Loading | None:
    """Return the progress of loading; None where the server is not loading. Raises Unavailable."""
    with translate_redis_errors():
        info: Mapping[str, Any] = client.info("persistence")
    return _parse_loading(info) if info.get("loading") else None


def _try_write(client: Redis) -> str | None:
    """Return the cause why the server refuses writes, or None where it accepts one."""
    try:
        client.lpushx(PROBE, "")
    except exceptions.ResponseError as fault:
        cause = name_cause(fault)
        if cause is None:
            raise
        return cause
    return None


def _describe_loading(found: RedisFound, info: Mapping[str, Any]) -> Inspection:
    loading = _parse_loading(info)
    return Inspection(
        found,
        troubles=[f"it is still loading its log: {loading.percent:.0f} %"],
        cause="loading",
        loading=loading,
    )


def _parse_loading(info: Mapping[str, Any]) -> Loading:
    return Loading(
        int(info.get("loading_loaded_bytes", 0)),
        float(info.get("loading_loaded_perc", 0)),
        int(info.get("loading_eta_seconds", 0)),
    )


def find_faults(info: Mapping[str, Any], wanted: tuple[Requirement, ...]) -> list[Requirement]:
    """Return the requirements that a server does not meet; a field that is missing counts as wrong."""
    return [
        requirement for requirement in wanted if not requirement.holds(info.get(requirement.name, "unknown"))
    ]


def _complaints(info: Mapping[str, Any], wrong: list[Requirement]) -> list[str]:
    return [requirement.complaint.format(info.get(requirement.name, "unknown")) for requirement in wrong]


def _describe_server(info: Mapping[str, Any], appendfsync: str | None) -> RedisFound:
    server = str(info.get("server_name", "redis"))
    # In redis_version, Valkey reports the version of Redis that it is compatible with.
    version = info.get(f"{server}_version", info.get("redis_version", "unknown"))
    return RedisFound(
        server,
        str(version),
        info.get("aof_enabled") == 1,
        maxmemory_policy=str(info.get("maxmemory_policy", "unknown")),
        role=str(info.get("role", "unknown")),
        appendfsync=appendfsync,
    )


def read_memory(client: Redis) -> MemoryUse:
    """Return how much memory the server uses, without a limit where it does not say. Raises Unavailable."""
    with translate_redis_errors():
        try:
            info: Mapping[str, Any] = client.info("memory")
        except exceptions.ResponseError as fault:
            if name_cause(fault):
                raise
            info = {}
    used = int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))
    return MemoryUse(used, int(info.get("maxmemory", 0)))


def _read_appendfsync(client: Redis) -> str | None:
    try:
        settings: Mapping[Any, Any] = client.config_get("appendfsync")
    except exceptions.ResponseError:
        return None
    value = next(iter(settings.values()), None)
    return value.decode() if isinstance(value, bytes) else value


def _warnings(appendfsync: str | None) -> list[str]:
    if appendfsync in (None, "always"):
        return []
    return [f"appendfsync is {appendfsync}: the last choices die with the machine; set appendfsync always"]


def _parse_version(version: object) -> tuple[int, ...]:
    parts = str(version).split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (0,)
