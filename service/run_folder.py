"""A folder in memory that the processes of one running service share, with their heartbeats."""

from __future__ import annotations

import fcntl
import os
import secrets
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


# A process that is silent for so long hangs, and is killed and started again. Nothing that a process does
# between two beats takes half as long: jobs end after 10 seconds, idle ones beat every second.
HANG_SECONDS = 20.0
_PREFIX = "beat-"
# What all processes of a machine read the same, whoever sets its clock.
_TIME = struct.Struct("d")
_files: dict[str, int] = {}


def beat() -> None:
    """A microsecond; nothing where no folder is shared."""
    name = process_name()
    if name not in _files and FOLDER in os.environ:
        _files[name] = os.open(_path(name), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if name in _files:
        os.pwrite(_files[name], _TIME.pack(time.monotonic()), 0)


def beat_for(name: str) -> None:
    """For one that was just started, or could not beat because all were stopped."""
    if FOLDER in os.environ:
        path = _path(name)
        path.touch(mode=0o600)
        with path.open("r+b") as file:
            file.write(_TIME.pack(time.monotonic()))


def measure_silence(name: str) -> float:
    """Seconds since its last beat; 0 for one that never beat."""
    if FOLDER not in os.environ:
        return 0.0
    try:
        (last,) = _TIME.unpack(_path(name).read_bytes())
        return max(0.0, time.monotonic() - float(last))
    except (OSError, struct.error):
        return 0.0


def list_silences() -> dict[str, float]:
    """Of every process that has beaten."""
    if FOLDER not in os.environ:
        return {}
    names = [path.name.removeprefix(_PREFIX) for path in _folder().glob(f"{_PREFIX}*")]
    return {name: measure_silence(name) for name in sorted(names)}


def _path(name: str) -> Path:
    return _folder() / f"{_PREFIX}{name}"


def _folder() -> Path:
    return Path(os.environ[FOLDER])
