"""The disk under the log is full for a while. Needs root, for a small disk of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.faults.outages.attacked import NotRun, attack_service, now, wait_for

SIZE = "48m"
SECONDS = 15.0
MARGIN = 1_000_000


@contextmanager
def mount_small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, leave: int) -> Path:
    """With as much as fits but so many bytes."""
    path = folder / "something-else"
    disk = os.statvfs(folder)
    with path.open("wb", buffering=0) as file, suppress(OSError):
        os.posix_fallocate(file.fileno(), 0, disk.f_bavail * disk.f_frsize - leave - MARGIN)
        while not leave:
            file.seek(0, os.SEEK_END)
            file.write(bytes(4096))
    return path


def run(folder: Path) -> bool:
    if os.getuid() != 0:
        raise NotRun("it needs root for a small disk of its own")
    with mount_small_disk(folder / "disk"), attack_service(folder / "disk") as attacked:
        for leave in (1_000_000, 0):
            started = now()
            filler = fill(folder / "disk", leave)
            told = attacked.await_trouble("disk", started)
            wait_for(SECONDS)
            reads = attacked.describe_reads(started, 0.9)
            filler.unlink()
            recovery = attacked.await_recovery(now())
            print(f"   {leave:,} bytes left: /readyz said {told}; {reads}; ready {recovery}", flush=True)
            attacked.people.play_further()
    return attacked.has_held
