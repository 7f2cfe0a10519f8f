"""Servers for the bench: gunicorn with the settings of the service, one process each."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from service.config import Settings
from service.ops.run import API, is_answering
from tests.support.service_process import free_port

FLOOR = [*API, "bench.floor:create_app()"]
OPENING_SECONDS = 30.0
# What is measured counts its callers as it always does, and never refuses one.
MANY_GAMES = "1000000 per minute"


class Server(Struct, frozen=True):
    """Where it answers, and the process that all its workers are children of."""

    base: str
    pid: int

    def processor_seconds(self) -> float:
        """What its workers have used so far; to be had from Linux alone."""
        workers = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        threads = (thread for worker in workers for thread in Path(f"/proc/{worker}/task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


@contextmanager
def run(command: Sequence[str], redis_url: str, folder: Path | None = None, **told: str) -> Iterator[int]:
    """The number of a process that lives as long as the block."""
    environ = {**os.environ, "REDIS_URL": redis_url, **told}
    process = subprocess.Popen(
        command, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def serve(
    redis_url: str, command: Sequence[str] = tuple(API), folder: Path | None = None
) -> Iterator[Server]:
    """A server that answers. One process, so that it and not the machine is what is full."""
    settings = Settings(port=free_port())
    told = {"PORT": str(settings.port), "API_WORKERS": "1", "LIMIT_CREATING": MANY_GAMES}
    with run(command, redis_url, folder, **told) as pid:
        end = time.monotonic() + OPENING_SECONDS
        while not is_answering(settings):
            if time.monotonic() > end:
                raise TimeoutError(f"{command} does not answer")
            time.sleep(0.05)
        yield Server(f"http://{settings.authority}", pid)
