"""Finds the processes of a service on this machine and reads their processor time: Linux alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

_PROC = Path("/proc")
_LISTENING = "0A"
# What is told of a process, by what its command line has.
_KINDS = (
    ("redis", r"(redis|valkey)-server"),
    ("projector", r"workers\.projector"),
    ("reconciler", r"workers\.reconciler"),
    ("worker", r"workers\.|rq"),
    ("api", r"gunicorn"),
)


def find_processes(url: str) -> dict[int, str]:
    """Return the processes of the service at this address by their ids, each with what it is.

    Empty if the service is on another machine, belongs to another user, or the system does not tell.
    """
    parts = urlsplit(url)
    if not _is_local(parts.hostname or "") or not (_PROC / "net" / "tcp").exists():
        return {}
    port = parts.port or (443 if parts.scheme == "https" else 80)
    listening = set(_find_owners(set(_find_sockets(port))))
    parents = dict(_read_parents())
    # The first process of the API, and whoever started it and the others.
    first = [pid for pid in listening if parents.get(pid) not in listening]
    tops = {_find_supervisor(pid, parents) for pid in first}
    found = {pid: _name_kind(pid) for top in tops for pid in (top, *_find_descendants(top, parents))}
    return {pid: kind for pid, kind in found.items() if kind}


class ProcessorTime:
    """Measures the processor time that the processes of a service use."""

    def __init__(self, url: str) -> None:
        """Begin now."""
        self._url = url
        self._before = _read_times(find_processes(url))

    def measure(self) -> dict[str, float]:
        """Return the seconds used since the beginning, by what the processes are.

        A process that has ended since is left out, and one that was started meanwhile counts from its start.
        """
        processes = find_processes(self._url)
        used: dict[str, float] = {}
        for pid, seconds in _read_times(processes).items():
            kind = processes[pid]
            used[kind] = used.get(kind, 0.0) + seconds - self._before.get(pid, 0.0)
        return used


def _read_times(processes: Mapping[int, str]) -> dict[int, float]:
    """Return the seconds of processor time that each process has used so far."""
    times = {}
    tick = os.sysconf("SC_CLK_TCK")
    for pid in processes:
        with suppress(OSError):
            fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
            times[pid] = (int(fields[11]) + int(fields[12])) / tick
    return times


def _is_local(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def _find_sockets(port: int) -> Iterator[str]:
    """Yield the numbers of the sockets that listen on a port."""
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (_PROC / "net" / name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                    yield fields[9]


def _find_owners(sockets: set[str]) -> Iterator[int]:
    """Yield the processes that have one of these sockets open."""
    names = {f"socket:[{number}]" for number in sockets}
    for pid in _list_pids():
        with suppress(OSError):
            for entry in (_PROC / str(pid) / "fd").iterdir():
                if os.readlink(entry) in names:
                    yield pid
                    break


def _list_pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.glob("[0-9]*")]


def _read_parents() -> Iterator[tuple[int, int]]:
    """Yield every process with its parent."""
    for pid in _list_pids():
        with suppress(OSError):
            fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
            yield pid, int(fields[1])


def _find_supervisor(api: int, parents: Mapping[int, int]) -> int:
    """Return the parent of the API if it has started other processes of the service, else the API."""
    parent = parents.get(api, 0)
    siblings = [pid for pid, above in parents.items() if above == parent and parent]
    is_supervisor = any(_name_kind(pid) in ("projector", "reconciler") for pid in siblings)
    return parent if is_supervisor else api


def _find_descendants(top: int, parents: Mapping[int, int]) -> Iterator[int]:
    for pid, parent in parents.items():
        if parent == top:
            yield pid
            yield from _find_descendants(pid, parents)


def _name_kind(pid: int) -> str:
    """Return what a process is; empty for one that is no part of a service."""
    with suppress(OSError):
        line = (_PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        return next((kind for kind, pattern in _KINDS if re.search(pattern, line)), "")
    return ""
