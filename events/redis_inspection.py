"""What must hold of a server that keeps games, and what this one says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from redis import Redis, exceptions

from events.redis_client import translate_redis_errors

OLDEST = (6, 2)


class Requirement(Struct, frozen=True):
    """One line of INFO, what it must say, and what to do where it says something else."""

    name: str
    holds: Callable[[Any], bool]
    complaint: str


# How the server is set up: wrong until somebody changes it.
SETTINGS = (
    Requirement(
        "redis_version", lambda told: _parse_version(told) >= OLDEST, "its version is {}: use 6.2 or newer"
    ),
    Requirement(
        "maxmemory_policy",
        lambda told: told == "noeviction",
        "maxmemory-policy is {} and games could be evicted: set maxmemory-policy noeviction",
    ),
    Requirement(
        "aof_enabled",
        lambda told: told == 1,
        "appendonly is off (aof_enabled {}) and games are lost with the process: set appendonly yes",
    ),
    Requirement(
        "role", lambda told: told == "master", "it is a {}, not the master: use the master's address"
    ),
)
# How the server fares: wrong for now.
STATE = (
    Requirement(
        "aof_last_write_status",
        lambda told: told == "ok",
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


class Inspection(Struct, frozen=True):
    """`unfit` is wrong with its settings, `troubles` is wrong now, `warnings` can be lived with."""

    found: RedisFound
    unfit: list[str] = []
    troubles: list[str] = []
    warnings: list[str] = []


def inspect_server(client: Redis) -> Inspection:
    """Raises Unavailable."""
    with translate_redis_errors():
        info: Mapping[str, Any] = client.info()
        appendfsync = _read_appendfsync(client)
    return Inspection(
        _describe_server(info, appendfsync),
        find_faults(info, SETTINGS),
        find_faults(info, STATE),
        _warnings(appendfsync),
    )


def find_faults(info: Mapping[str, Any], wanted: tuple[Requirement, ...]) -> list[str]:
    """What a server does not tell counts as wrong."""
    told = ((one, info.get(one.name, "unknown")) for one in wanted)
    return [one.complaint.format(said) for one, said in told if not one.holds(said)]


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
