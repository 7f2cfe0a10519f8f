"""Processes of the workers, as the supervisor starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

Process = subprocess.Popen[bytes]

PROJECT, RECONCILE, WORK = "projector", "reconciler", "worker"


def start_worker(module: str, url: str) -> Process:
    environ = {**os.environ, "REDIS_URL": url, "LOG_LEVEL": "error"}
    return subprocess.Popen([sys.executable, "-m", f"workers.{module}"], env=environ)


@contextmanager
def run_workers(url: str, modules: Sequence[str]) -> Iterator[list[Process]]:
    """One process a name; whoever is still there at the end is killed."""
    processes = [start_worker(module, url) for module in modules]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
