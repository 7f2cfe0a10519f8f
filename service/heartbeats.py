"""A sign of life of every process, in the folder that they share, for the supervisor and /readyz."""

from __future__ import annotations

import os
import struct
import time
from pathlib import Path

from service.run_folder import FOLDER, process_name

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
