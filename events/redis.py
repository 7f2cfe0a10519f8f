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
# A server that is there and cannot be trusted with a commit now. Older servers wrap what it says in the error
# of the script, and redis-py takes the code away where it has a class for it.
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
    """None for a fault that is ours and no outage."""
    for kind, cause in _KINDS.items():
        if isinstance(fault, kind):
            return cause
    told = _CODES.search(str(fault)) if isinstance(fault, exceptions.ResponseError) else None
    return _REFUSALS[told[1]] if told else None


# How long the use of a connection vouches for it.
TRUSTED_SECONDS = 0.1


class Connections(ConnectionPool):
    """redis-py's pool with fewer steps from one command to the next, of which every choice takes one.

    It waits where all connections are in use. A connection is asked whether the server has closed it, but not
    when it was in use a moment ago: should its server have gone since, the command fails as any does whose
    server goes away in the middle of it, and an append is repeated with its key. It must not be forked.
    """

    def __init__(self, *args: Any, timeout: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timeout = timeout
        self._vacancies = Semaphore(self.max_connections)

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        """The one that was used last. Raises ConnectionError where none becomes free in time."""
        if not self._vacancies.acquire(timeout=self._timeout):
            raise ConnectionError("all connections are in use")
        try:
            idle: Any = self._available_connections
            connection: Any = idle.pop() if idle else self.make_connection()
        except BaseException:
            self._vacancies.release()
            raise
        self._in_use_connections.add(connection)
        if monotonic() - getattr(connection, "used_at", 0.0) > TRUSTED_SECONDS:
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
        self._vacancies.release()


def _is_ready(connection: Any) -> bool:
    """Whether it is connected, open, and has nothing to say that nobody asked for."""
    connection.connect()
    try:
        return not connection.can_read()
    except (ConnectionError, TimeoutError, OSError):
        return False


def send(client: Redis, *command: Any) -> Any:
    """One command and its reply as it comes, without what the client wraps around it: counters and retries.

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


OLDEST = (6, 2)
# Never made: to add to a list that is not there changes nothing, and is refused wherever a write would be.
PROBE = "croupier:probe"


class Requirement(Struct, frozen=True):
    """One line of INFO, what it must say, what is wrong where it says something else, and what to do."""

    name: str
    holds: Callable[[Any], bool]
    cause: str
    complaint: str


# How the server is set up: wrong until somebody changes it.
SETTINGS = (
    Requirement(
        "redis_version",
        lambda told: _parse_version(told) >= OLDEST,
        "version",
        complaint="its version is {}: use 6.2 or newer",
    ),
    Requirement(
        "maxmemory_policy",
        lambda told: told == "noeviction",
        "evicting",
        complaint="maxmemory-policy is {} and games could be evicted: set maxmemory-policy noeviction",
    ),
    Requirement(
        "aof_enabled",
        lambda told: told == 1,
        "appendonly",
        complaint="appendonly is off (aof_enabled {}) and games are lost with the process: "
        "set appendonly yes",
    ),
    Requirement(
        "role",
        lambda told: told == "master",
        "role",
        complaint="it is a {}, not the master: use the master's address",
    ),
)
# How the server fares: wrong for now.
STATE = (
    Requirement(
        "aof_last_write_status",
        lambda told: told == "ok",
        "disk",
        complaint="the last write of the append-only file went wrong ({}): look at its disk",
    ),
)


class RedisFound(Struct, frozen=True, omit_defaults=True):
    """`appendfsync` is left out where the server does not let us ask."""

    server: str
    version: str
    appendonly: bool
    maxmemory_policy: str
    role: str
    appendfsync: str | None = None


class Loading(Struct, frozen=True):
    """How far a server has come that reads its log before it answers; bytes grow as long as it gets on."""

    loaded_bytes: int
    percent: float
    seconds_left: int


class Inspection(Struct, frozen=True):
    """`unfit` is wrong with its settings, `troubles` is wrong now, `warnings` can be lived with.

    `cause` is one of `outages.CAUSES` where a commit would not be kept.
    """

    found: RedisFound
    unfit: list[str] = []
    troubles: list[str] = []
    warnings: list[str] = []
    cause: str | None = None
    loading: Loading | None = None


def inspect_server(client: Redis) -> Inspection:
    """Also asks for a write, one that changes nothing. Raises Unavailable."""
    with translate_redis_errors():
        info: Mapping[str, Any] = client.info()
        appendfsync = _read_appendfsync(client)
        found = _describe_server(info, appendfsync)
        if info.get("loading"):
            # Until it has loaded its file it says that there is none.
            return _describe_loading(found, info)
        refusal = _try_write(client)
    unfit = find_faults(info, SETTINGS)
    wrong = find_faults(info, STATE)
    causes = [one.cause for one in unfit + wrong] + ([refusal] if refusal else [])
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
    """How far the server is with loading; None where it does not load. Raises Unavailable."""
    with translate_redis_errors():
        info: Mapping[str, Any] = client.info("persistence")
    return _parse_loading(info) if info.get("loading") else None


def _try_write(client: Redis) -> str | None:
    """Why a write would be refused; one that reaches nothing goes the same way as an append. None if not."""
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
    """What a server does not tell counts as wrong."""
    return [one for one in wanted if not one.holds(info.get(one.name, "unknown"))]


def _complaints(info: Mapping[str, Any], wrong: list[Requirement]) -> list[str]:
    return [one.complaint.format(info.get(one.name, "unknown")) for one in wrong]


def _describe_server(info: Mapping[str, Any], appendfsync: str | None) -> RedisFound:
    server = str(info.get("server_name", "redis"))
    # Valkey tells in redis_version which Redis it stands in for.
    version = info.get(f"{server}_version", info.get("redis_version", "unknown"))
    return RedisFound(
        server,
        str(version),
        info.get("aof_enabled") == 1,
        maxmemory_policy=str(info.get("maxmemory_policy", "unknown")),
        role=str(info.get("role", "unknown")),
        appendfsync=appendfsync,
    )


def _read_appendfsync(client: Redis) -> str | None:
    try:
        told: Mapping[Any, Any] = client.config_get("appendfsync")
    except exceptions.ResponseError:
        return None
    said = next(iter(told.values()), None)
    return said.decode() if isinstance(said, bytes) else said


def _warnings(appendfsync: str | None) -> list[str]:
    if appendfsync in (None, "always"):
        return []
    return [f"appendfsync is {appendfsync}: the last choices die with the machine; set appendfsync always"]


def _parse_version(version: object) -> tuple[int, ...]:
    parts = str(version).split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (0,)
