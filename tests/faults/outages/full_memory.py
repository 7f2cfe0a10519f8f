"""maxmemory is reached: what is said, what goes on, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from service.ops.redis_server import find_running_url
from tests.faults.outages.attacked import attack_service, now, wait_for

SECONDS = 10.0


@contextmanager
def take_memory(folder: Path) -> Iterator[None]:
    """From the server of the service below this folder."""
    url = find_running_url(folder / "data")
    assert url is not None
    with redis.Redis.from_url(url) as client:
        client.config_set("maxmemory", 1)
        yield
        client.config_set("maxmemory", 0)


def run(folder: Path) -> bool:
    with attack_service(folder) as attacked:
        started = now()
        with take_memory(folder):
            told = attacked.await_trouble("memory", started)
            wait_for(SECONDS)
            reads = attacked.describe_reads(started, 0.9)
        recovery = attacked.await_recovery(now())
        print(f"   without memory: /readyz said {told}; {reads}; ready {recovery}", flush=True)
    return attacked.has_held
