"""The data folder: one owner, private files, and a stop to writing before the disk is full.

A server that syncs every write ends itself when one fails, and again after each restart; then nobody can read
either. One that refuses writes goes on answering, and takes them again when there is room.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path

import redis

from service import logs
from service.config import Misconfigured
from service.run_folder import mark_disk_full

MOST_RESERVED = 64 * 1024 * 1024
RESERVED_SHARE = 0.05
# Room must be well above the reserve before writing goes on, or it would stop and go.
RETURN_FACTOR = 1.5
PERIOD = 0.5

log = logs.logger()


def measure_room(folder: Path) -> float:
    """Free space in units of what is kept in reserve: 64 MiB, or a twentieth of a small disk."""
    disk = os.statvfs(folder)
    reserve = min(MOST_RESERVED, RESERVED_SHARE * disk.f_blocks * disk.f_frsize)
    return disk.f_bavail * disk.f_frsize / reserve if reserve else RETURN_FACTOR


class DiskGuard:
    def __init__(self, folder: Path, measure: Callable[[Path], float] = measure_room) -> None:
        self._folder, self._measure = folder, measure
        self._next_look = 0.0
        self.is_full = False
        self._is_told = True

    def look(self) -> bool:
        """Whether the disk counts as full now."""
        room = self._measure(self._folder)
        full = room < (RETURN_FACTOR if self.is_full else 1.0)
        if full != self.is_full:
            self.is_full, self._is_told = full, False
            log.warning("disk_full" if full else "disk_has_room", folder=str(self._folder))
        # Whoever is refused in between must know why.
        mark_disk_full(full or not self._is_told)
        return full

    def tend(self, url: str) -> None:
        """Looks from time to time, and tells the server until it has heard."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + PERIOD
        self.look()
        if not self._is_told:
            self._is_told = _refuse_writes(url, self.is_full)
            mark_disk_full(self.is_full or not self._is_told)


def _refuse_writes(url: str, refuse: bool) -> bool:
    """By asking for a replica that there is not: everything is refused that would change something."""
    with redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1) as client:
        try:
            client.config_set("min-replicas-to-write", int(refuse))
        except redis.RedisError:
            return False
    return True


class FolderTaken(RuntimeError):
    """Another process owns the folder, with a message for the operator."""


def claim(folder: Path) -> int:
    """Takes the folder until the returned descriptor is closed or this process ends, however it ends.

    Raises FolderTaken, and Misconfigured where there can be no such folder.
    """
    lock = _open_lock(folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 20, 0).decode() or "unknown"
        os.close(lock)
        raise FolderTaken(
            f"{folder} is in use by another Croupier (process {owner}): "
            "stop that one, or choose another DATA_DIR and PORT"
        ) from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    return lock


def _open_lock(folder: Path) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as fault:
        refusal = f"games cannot be kept in {folder} ({fault.strerror}): choose another DATA_DIR"
        raise Misconfigured(refusal) from fault


def write_privately(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
