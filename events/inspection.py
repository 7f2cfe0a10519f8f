"""Checks of a Redis server: its settings, its present state, its memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from redis import Redis, exceptions

from events.cluster import ClusterClient
from events.durability import count_wanted_replicas
from events.layout import LAYOUTS, peek_layout
from events.redis import CAUSES, name_cause, translate_redis_errors
from events.sentinel import SentinelPool
from events.server_url import Address

OLDEST = (6, 2)
# Replicas report every second; one that has been silent for longer is taken to be away.
LONGEST_LAG = 2
# This list never exists: adding to a missing list changes nothing, and is refused where a write would be.
PROBE = "croupier:probe"


class Requirement(Struct, frozen=True):
    """A field of INFO, the condition that it must meet, and what to report where it does not."""

    name: str
    holds: Callable[[Any], bool]
    cause: str
    complaint: str

    def is_excused(self, info: Mapping[str, Any]) -> bool:
        """Return whether a trusted server need not meet it.

        Such a server may hide a field, and keep what is written by other means than an append-only file.
        """
        return self.name not in info or self.cause == "appendonly"


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


class Advice(Struct, frozen=True):
    """The value that a setting should have, and what happens with another one."""

    value: str
    danger: str


# Settings that are recommended: for each server, and in a cluster.
ADVICE: Mapping[str, Advice] = {
    "appendfsync": Advice("always", "the last choices die with the machine"),
}
CLUSTER_ADVICE: Mapping[str, Advice] = {
    "cluster-require-full-coverage": Advice("no", "the loss of one master stops all games"),
    "cluster-allow-reads-when-down": Advice("no", "a server that was cut off tells old tables"),
}


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
    `cause` is a key of CAUSES where a commit would not be kept, else None. `replicas` says how many replicas
    keep up, if the server tells, and `wanted_replicas` how many must confirm a write. `partitions` is how
    many the store has, None unless the server can be used.
    """

    found: RedisFound
    unfit: list[str] = []
    troubles: list[str] = []
    warnings: list[str] = []
    cause: str | None = None
    loading: Loading | None = None
    replicas: int | None = None
    wanted_replicas: int = 0
    partitions: int | None = None

    @property
    def is_short(self) -> bool:
        """Return whether there is no replica to spare."""
        return self.replicas is not None and 0 < self.wanted_replicas >= self.replicas


def inspect_server(client: Redis, trusted: bool = False) -> Inspection:
    """Check settings and state of a server, and try a write that changes nothing. Raises Unavailable.

    A `trusted` server need not tell its settings, nor have an append-only file. Of a cluster every master is
    checked.
    """
    wanted = count_wanted_replicas(client)
    with translate_redis_errors():
        if isinstance(client, ClusterClient):
            advice = {**ADVICE, **CLUSTER_ADVICE}
            inspection = _merge(
                [_inspect_node(*node, trusted, wanted, advice) for node in _list_nodes(client)]
            )
        else:
            inspection = _inspect_node(client, PROBE, trusted, wanted, ADVICE)
    inspection.warnings.extend(_doubt_durability(client, wanted))
    if inspection.is_short:
        inspection.warnings.append(
            f"only {inspection.replicas} replicas keep up with the master and {wanted} must confirm each "
            "write: if one more is lost, nothing is written; add a replica"
        )
    if inspection.cause or inspection.loading:
        return inspection
    return replace(inspection, partitions=peek_layout(client).partitions)


def _list_nodes(client: ClusterClient) -> Iterator[tuple[Redis, str]]:
    """Yield a client for each master that has a partition, and a key that it has."""
    keys: dict[Address, str] = {}
    for layout in LAYOUTS.values():
        for number in range(layout.partitions):
            key = layout.key(number, "probe")
            keys.setdefault(client.master_of(key), key)
    for address, node in client.node_clients().items():
        if address in keys:
            yield node, keys[address]


def _merge(found: list[Inspection]) -> Inspection:
    """Return what is true of all servers together: each fault once, and the fewest replicas."""
    first = found[0]
    counts = [inspection.replicas for inspection in found if inspection.replicas is not None]
    return Inspection(
        next((inspection.found for inspection in found if inspection.cause), first.found),
        _distinct(fault for inspection in found for fault in inspection.unfit),
        _distinct(trouble for inspection in found for trouble in inspection.troubles),
        warnings=_distinct(warning for inspection in found for warning in inspection.warnings),
        cause=next((inspection.cause for inspection in found if inspection.cause), None),
        loading=next((inspection.loading for inspection in found if inspection.loading), None),
        replicas=min(counts, default=None),
        wanted_replicas=first.wanted_replicas,
    )


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _inspect_node(
    client: Redis, probe: str, trusted: bool, wanted: int, advice: Mapping[str, Advice]
) -> Inspection:
    """Check one server; `probe` is a key that it has."""
    info = _read_info(client, trusted)
    settings = _read_settings(client, advice)
    appendfsync = settings.get("appendfsync")
    found = _describe_server(info, appendfsync)
    if info.get("loading"):
        # Until the file is loaded the server reports that there is none.
        return _describe_loading(found, info)
    refusal = _try_write(client, probe)
    faults = find_faults(info, SETTINGS + STATE)
    excused = [fault for fault in faults if trusted and fault.is_excused(info)]
    unfit = [fault for fault in faults if fault in SETTINGS and fault not in excused]
    wrong = [fault for fault in faults if fault in STATE and fault not in excused]
    causes = [requirement.cause for requirement in unfit + wrong]
    if refusal:
        causes.append(refusal)
    troubles = _complaints(info, wrong)
    if refusal and not unfit + wrong:
        troubles.append(CAUSES[refusal])
    replicas = _count_replicas(info)
    if replicas is not None and replicas < wanted:
        causes.append("replicas")
        troubles.append(f"{replicas} of {wanted} replicas keep up with it: bring them back")
    return Inspection(
        found,
        _complaints(info, unfit),
        troubles,
        warnings=[*_warnings(settings, advice), *_distrust(excused)],
        cause=next(iter(causes), None),
        replicas=replicas,
        wanted_replicas=wanted,
    )


def _read_info(client: Redis, trusted: bool) -> Mapping[str, Any]:
    """Return what INFO tells, which is nothing for a trusted server that refuses it."""
    try:
        info: Mapping[str, Any] = client.info()
    except exceptions.ResponseError as fault:
        if not trusted or name_cause(fault):
            raise
        return {}
    return info


def _count_replicas(info: Mapping[str, Any]) -> int | None:
    """Return how many replicas have everything but what was written a moment ago; None if nothing is told."""
    if "connected_slaves" not in info:
        return None
    replicas = [value for name, value in info.items() if re.fullmatch(r"slave\d+", name)]
    keeping_up = [one for one in replicas if one["state"] == "online" and one["lag"] <= LONGEST_LAG]
    return len(keeping_up)


def _distrust(excused: list[Requirement]) -> list[str]:
    """Return a warning about what a trusted server was not asked to meet."""
    if not excused:
        return []
    causes = ", ".join(requirement.cause for requirement in excused)
    return [f"REDIS_SETTINGS=trusted: it was not checked that Redis keeps what is written ({causes})"]


def _doubt_durability(client: Redis, wanted: int) -> list[str]:
    """Return a warning where another server may take over without what was acknowledged."""
    fails_over = isinstance(client, ClusterClient) or isinstance(client.connection_pool, SentinelPool)
    if wanted or not fails_over:
        return []
    return [
        "DURABILITY is local: choices that were just acknowledged are lost when another server takes over; "
        "set DURABILITY=replicated:1"
    ]


def read_loading(client: Redis) -> Loading | None:
    """Return the progress of loading; None where the server is not loading. Raises Unavailable."""
    with translate_redis_errors():
        info: Mapping[str, Any] = client.info("persistence")
    return _parse_loading(info) if info.get("loading") else None


def _try_write(client: Redis, key: str) -> str | None:
    """Return the cause why the server refuses writes, or None where it accepts one."""
    try:
        client.lpushx(key, "")
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
    """Return how much memory the server uses, without a limit where it does not say. Raises Unavailable.

    A cluster has as much room as if all its masters were as full as the fullest.
    """
    with translate_redis_errors():
        if not isinstance(client, ClusterClient):
            return _read_memory(client)
        found = [_read_memory(node) for node in client.node_clients().values()]
    limited = [memory for memory in found if memory.most]
    if not limited:
        return MemoryUse(sum(memory.used for memory in found), 0)
    most = sum(memory.most for memory in limited)
    return MemoryUse(int(most * max(memory.used / memory.most for memory in limited)), most)


def _read_memory(client: Redis) -> MemoryUse:
    try:
        info: Mapping[str, Any] = client.info("memory")
    except exceptions.ResponseError as fault:
        if name_cause(fault):
            raise
        info = {}
    used = int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))
    return MemoryUse(used, int(info.get("maxmemory", 0)))


def _read_settings(client: Redis, names: Iterable[str]) -> dict[str, str]:
    """Return some settings, as far as the server tells them."""
    found: dict[str, str] = {}
    for name in names:
        try:
            told: Mapping[Any, Any] = client.config_get(name)
        except exceptions.ResponseError:
            return found
        for value in told.values():
            found[name] = value.decode() if isinstance(value, bytes) else value
    return found


def _warnings(settings: Mapping[str, str], advice: Mapping[str, Advice]) -> list[str]:
    """Return what to say of settings that are not as recommended."""
    return [
        f"{name} is {settings[name]}: {wanted.danger}; set {name} {wanted.value}"
        for name, wanted in advice.items()
        if name in settings and settings[name] != wanted.value
    ]


def _parse_version(version: object) -> tuple[int, ...]:
    parts = str(version).split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (0,)
