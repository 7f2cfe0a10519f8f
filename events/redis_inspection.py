"""What must hold of a server that keeps games, and what this one says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from redis import Redis, exceptions

from events.outages import CAUSES, name_cause
from events.redis_client import translate_redis_errors

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
        "its version is {}: use 6.2 or newer",
    ),
    Requirement(
        "maxmemory_policy",
        lambda told: told == "noeviction",
        "evicting",
        "maxmemory-policy is {} and games could be evicted: set maxmemory-policy noeviction",
    ),
    Requirement(
        "aof_enabled",
        lambda told: told == 1,
        "appendonly",
        "appendonly is off (aof_enabled {}) and games are lost with the process: set appendonly yes",
    ),
    Requirement(
        "role", lambda told: told == "master", "role", "it is a {}, not the master: use the master's address"
    ),
)
# How the server fares: wrong for now.
STATE = (
    Requirement(
        "aof_last_write_status",
        lambda told: told == "ok",
        "disk",
        "the last write of the append-only file went wrong ({}): look at its disk",
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
    unfit, wrong = find_faults(info, SETTINGS), find_faults(info, STATE)
    causes = [one.cause for one in unfit + wrong] + ([refusal] if refusal else [])
    troubles = _complaints(info, wrong)
    if refusal and not unfit + wrong:
        troubles.append(CAUSES[refusal])
    return Inspection(
        found, _complaints(info, unfit), troubles, _warnings(appendfsync), next(iter(causes), None)
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
        str(info.get("maxmemory_policy", "unknown")),
        str(info.get("role", "unknown")),
        appendfsync,
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
