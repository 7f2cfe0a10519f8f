"""Guards the data folder: one owner, private files, and no writes when the disk is almost full.

A Redis that syncs every write exits when a write fails, and again after each restart, so reading stops too.
If it refuses writes before the disk is full, it keeps answering, and accepts writes again when there is room.
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
# Writing resumes well above the reserve, so that it does not stop and start in turn.
RETURN_FACTOR = 1.5
PERIOD = 0.5

log = logs.logger()


def measure_room(folder: Path) -> float:
    """Return the free space as a multiple of the reserve: 64 MiB, or a twentieth of a small disk."""
    disk = os.statvfs(folder)
    reserve = min(MOST_RESERVED, RESERVED_SHARE * disk.f_blocks * disk.f_frsize)
    return disk.f_bavail * disk.f_frsize / reserve if reserve else RETURN_FACTOR


class DiskGuard:
    """Makes the embedded Redis refuse writes while its disk is almost full."""

    def __init__(self, folder: Path, measure: Callable[[Path], float] = measure_room) -> None:
        """Guard the disk of this folder."""
        self._folder = folder
        self._measure = measure
        self._next_check = 0.0
        self.is_full = False
        self._is_applied = True

    def check(self) -> bool:
        """Measure the disk and return whether it counts as full."""
        room = self._measure(self._folder)
        full = room < (RETURN_FACTOR if self.is_full else 1.0)
        if full != self.is_full:
            self.is_full = full
            self._is_applied = False
            self._log_change()
        # A request that Redis refuses before the change is applied must still name the disk as its cause.
        mark_disk_full(full or not self._is_applied)
        return full

    def update(self, url: str) -> None:
        """Check the disk twice a second and tell Redis about a change until it has applied it."""
        now = time.monotonic()
        if now < self._next_check:
            return
        self._next_check = now + PERIOD
        self.check()
        if not self._is_applied:
            self._is_applied = _refuse_writes(url, self.is_full)
            mark_disk_full(self.is_full or not self._is_applied)

    def _log_change(self) -> None:
        """Log that the disk has become full, or has room again."""
        if self.is_full:
            log.warning(
                "disk_full",
                folder=str(self._folder),
                meaning="the disk is almost full: choices are refused, reading goes on",
                action="make room on this disk; writing resumes by itself",
            )
        else:
            log.warning("disk_has_room", folder=str(self._folder), meaning="choices are stored again")


def _refuse_writes(url: str, refuse: bool) -> bool:
    """Make Redis refuse writes, by requiring a replica that does not exist; return whether it did."""
    with redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1) as client:
        try:
            client.config_set("min-replicas-to-write", int(refuse))
        except redis.RedisError:
            return False
    return True


class FolderTaken(RuntimeError):
    """Says that another process owns the folder, with a message for the operator."""


def lock_folder(folder: Path) -> int:
    """Lock the folder until the returned descriptor is closed or this process ends.

    Raises FolderTaken if another process has it, and Misconfigured if it cannot be created.
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
    """Open the lock file of a folder, creating both if necessary."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as fault:
        raise Misconfigured(
            f"games cannot be kept in {folder} ({fault.strerror}): choose another DATA_DIR"
        ) from fault


def write_private_file(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
