"""The processes below another one, and how to kill them without a warning."""

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")


def descendants(pid: int) -> dict[int, str]:
    """Children, grandchildren and so on with their command lines."""
    processes = list(_read_proc() if (PROC / "self" / "stat").exists() else _run_ps())
    found: dict[int, str] = {}
    parents = {pid}
    while parents:
        born = {child: line for child, parent, line in processes if parent in parents}
        found |= born
        parents = set(born)
    return found


def descendants_matching(pid: int, pattern: str) -> list[int]:
    """Those below whose command line fits; there must be some."""
    fitting = [child for child, line in descendants(pid).items() if re.search(pattern, line)]
    assert fitting, f"no process {pattern} below {pid}"
    return fitting


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        # Some go with their parent.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _read_proc() -> Iterator[tuple[int, int, str]]:
    for folder in PROC.glob("[0-9]*"):
        try:
            stat, line = (folder / "stat").read_text(), (folder / "cmdline").read_bytes()
        except OSError:
            continue
        yield int(folder.name), int(stat.rpartition(")")[2].split()[1]), line.replace(b"\0", b" ").decode()


def _run_ps() -> Iterator[tuple[int, int, str]]:
    shown = subprocess.run(
        ["ps", "-axww", "-o", "pid=,ppid=,command="], capture_output=True, text=True, check=True
    )
    for process in shown.stdout.splitlines():
        pid, parent, line = process.split(maxsplit=2)
        yield int(pid), int(parent), line
