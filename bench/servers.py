"""Servers for the bench: gunicorn with the settings of the service, one process each."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from service.config import Settings
from service.ops import launching
from tests.support.service_process import free_port

FLOOR = [*launching.API, "bench.floor:create_app()"]
OPENING_SECONDS = 30.0


@contextmanager
def run(command: Sequence[str], redis_url: str, **told: str) -> Iterator[None]:
    environ = {**os.environ, "REDIS_URL": redis_url, **told}
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def serve(redis_url: str, command: Sequence[str] = tuple(launching.API)) -> Iterator[str]:
    """The address of a server that answers. One process, so that it and not the machine is what is full."""
    settings = Settings(port=free_port())
    with run(command, redis_url, PORT=str(settings.port), API_WORKERS="1"):
        end = time.monotonic() + OPENING_SECONDS
        while not launching.is_answering(settings):
            if time.monotonic() > end:
                raise TimeoutError(f"{command} does not answer")
            time.sleep(0.05)
        yield f"http://{settings.authority}"
