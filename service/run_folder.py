"""Manages a folder in memory that the processes of one running service share, with their heartbeats."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import tempfile
import time
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
_CLAIM = "claim"


def process_name() -> str:
    """Return the name of this process, under which its files and heartbeat are stored."""
    return os.environ.get(NAME) or str(os.getpid())


def run_folder_of(settings: Settings) -> Path:
    """Return the path of the folder for these settings; it is the same at every start."""
    root = _MEMORY if _MEMORY.is_dir() else Path(tempfile.gettempdir())
    mark = f"{settings.data_dir.absolute()}|{settings.authority}"
    return root / f"{_own_prefix()}{sha256(mark.encode()).hexdigest()[:12]}"


def _own_prefix() -> str:
    return f"croupier-{os.getuid()}-"


def make_run_folder(settings: Settings) -> Path:
    """Create the folder, empty, and remove the folders of services that no longer run."""
    folder = run_folder_of(settings)
    _sweep(folder.parent)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir(mode=0o700)
        _claim(folder)
    except OSError:
        # Another user has the name, or shared memory is not writable.
        return Path(tempfile.mkdtemp(prefix="croupier-"))
    return folder


def _claim(folder: Path) -> None:
    """Lock the folder for the life of this process."""
    taking = folder / f"{_CLAIM}.new"
    held = os.open(taking, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    # Renamed after locking, so that no other process finds it unlocked.
    taking.rename(folder / _CLAIM)


def _sweep(root: Path) -> None:
    """Remove our folders that no running process has locked; folders of other users stay."""
    for folder in root.glob(f"{_own_prefix()}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                _remove_unclaimed(folder)


def _remove_unclaimed(folder: Path) -> None:
    """Remove a folder. Raises OSError if it is locked."""
    with (folder / _CLAIM).open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_run_folder(folder)


def remove_run_folder(folder: Path) -> None:
    """Remove the folder of this service."""
    shutil.rmtree(folder, ignore_errors=True)


def mark_disk_full(is_full: bool) -> None:
    """Tell all processes whether the disk counts as full."""
    if folder := os.environ.get(FOLDER):
        mark = Path(folder) / _DISK_FULL
        if is_full:
            mark.touch()
        else:
            mark.unlink(missing_ok=True)


def is_disk_full() -> bool:
    """Return whether the supervisor found the disk almost full."""
    folder = os.environ.get(FOLDER)
    return folder is not None and (Path(folder) / _DISK_FULL).exists()


def forget_process(name: str) -> None:
    """Remove the open streams and the heartbeat of a dead process; its counters stay."""
    folder = os.environ.get(FOLDER)
    if folder:
        for kept in (f"gauge_livesum_{name}.db", f"beat-{name}"):
            with suppress(OSError):
                (Path(folder) / kept).unlink()


# A process without a heartbeat for so long hangs, and is killed and restarted. Nothing that a process does
# between two heartbeats takes half as long: jobs end after 10 seconds, idle processes beat every second.
HANG_SECONDS = 20.0
_PREFIX = "beat-"
# Monotonic time: the same for all processes of a machine, also when its clock is set.
_TIME = struct.Struct("d")
_files: dict[str, int] = {}


def beat() -> None:
    """Record a heartbeat of this process; takes a microsecond."""
    name = process_name()
    if name not in _files and FOLDER in os.environ:
        _files[name] = os.open(_path(name), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if name in _files:
        os.pwrite(_files[name], _TIME.pack(time.monotonic()), 0)


def beat_for(name: str) -> None:
    """Record a heartbeat for another process, which was just started or could not run."""
    if FOLDER in os.environ:
        path = _path(name)
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            file.write(_TIME.pack(time.monotonic()))


def measure_silence(name: str) -> float:
    """Return the seconds since the last heartbeat of a process; 0 if it never had one."""
    if FOLDER not in os.environ:
        return 0.0
    try:
        (last,) = _TIME.unpack(_path(name).read_bytes())
        return max(0.0, time.monotonic() - float(last))
    except (OSError, struct.error):
        return 0.0


def list_silences() -> dict[str, float]:
    """Return the seconds since the last heartbeat of every process that had one."""
    if FOLDER not in os.environ:
        return {}
    names = [path.name.removeprefix(_PREFIX) for path in _folder().glob(f"{_PREFIX}*")]
    return {name: measure_silence(name) for name in sorted(names)}


def _path(name: str) -> Path:
    return _folder() / f"{_PREFIX}{name}"


def _folder() -> Path:
    return Path(os.environ[FOLDER])
