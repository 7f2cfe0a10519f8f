"""One owner for a data folder, and files in it that only the owner's account reads."""

import fcntl
import os
from pathlib import Path

from service.config import Misconfigured


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
