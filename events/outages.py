"""Why the log cannot be written to, in one word and in a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping

from redis import exceptions

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
