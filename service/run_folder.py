"""A folder in memory that the processes of one service share while it runs, and each one's name there."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from service.config import Settings

# Named for prometheus-client, which keeps its files there.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
NAME = "CROUPIER_PROCESS"
# Never on a disk: a file that is mapped into memory kills its process where the disk is full.
_MEMORY = Path("/dev/shm")


_DISK_FULL = "disk-full"
_KEY = "key"
_CLAIM = "claim"
# What a file begins with in which a process counts its open streams.
STREAMS = "streams-"


def process_name() -> str:
    return os.environ.get(NAME) or str(os.getpid())


def run_folder_of(settings: Settings) -> Path:
    """The same at every start."""
    root = _MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir())
    mark = f"{settings.data_dir.absolute()}|{settings.authority}"
    return root / f"{_own_prefix()}{sha256(mark.encode()).hexdigest()[:12]}"


def _own_prefix() -> str:
    return f"croupier-{os.getuid()}-"


def make_run_folder(settings: Settings) -> Path:
    """A new and empty one. What earlier services left there or nearby, however they ended, is gone."""
    folder = run_folder_of(settings)
    _sweep(folder.parent)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700)
        (folder / _KEY).write_bytes(secrets.token_bytes(32))
        _claim(folder)
    except OSError:
        # Somebody else was there first, or memory cannot be written to.
        return Path(tempfile.mkdtemp(prefix="croupier-"))
    return folder


def _claim(folder: Path) -> None:
    """As long as this process lives: the lock goes with it, however it ends."""
    taking = folder / f"{_CLAIM}.new"
    held = os.open(taking, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    # Nobody sees it before it is held.
    taking.rename(folder / _CLAIM)


def _sweep(root: Path) -> None:
    """Those that nobody holds any more; what others made under such a name is left alone."""
    for folder in root.glob(f"{_own_prefix()}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                _remove_unclaimed(folder)


def _remove_unclaimed(folder: Path) -> None:
    """Raises OSError where it is claimed."""
    with (folder / _CLAIM).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_run_folder(folder)


def read_folder_key(folder: Path) -> bytes:
    """A secret that the processes share; none where the folder was made by others."""
    try:
        return (folder / _KEY).read_bytes()
    except OSError:
        return b""


def remove_run_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def mark_disk_full(is_full: bool) -> None:
    """For all processes to know; in memory, where there is room."""
    if folder := os.environ.get(FOLDER):
        mark = Path(folder) / _DISK_FULL
        mark.touch() if is_full else mark.unlink(missing_ok=True)


def is_disk_full() -> bool:
    folder = os.environ.get(FOLDER)
    return folder is not None and (Path(folder) / _DISK_FULL).exists()


def forget_process(name: str) -> None:
    """What a dead process had open leaves the sums, and nobody waits for its beat; what it counted stays."""
    folder = os.environ.get(FOLDER)
    if folder:
        for kept in (f"gauge_livesum_{name}.db", f"beat-{name}", f"{STREAMS}{name}"):
            with suppress(OSError):
                (Path(folder) / kept).unlink()
