"""maxmemory is reached: what is said, what goes on, and how it ends."""

from __future__ import annotations

from pathlib import Path

import redis

from service.ops.running_server import find_running_url
from tests.faults.outages.attacked import attack_service, now, wait_for

SECONDS = 10.0


def run(folder: Path) -> bool:
    with attack_service(folder) as attacked:
        url = find_running_url(folder / "data")
        assert url is not None
        with redis.Redis.from_url(url) as client:
            started = now()
            client.config_set("maxmemory", 1)
            told = attacked.await_trouble(started)
            wait_for(SECONDS)
            reads = attacked.describe_reads(started, 0.9)
            client.config_set("maxmemory", 0)
            recovery = attacked.await_recovery(now())
        print(f"   without memory: /readyz said {told}; {reads}; ready {recovery}", flush=True)
    return attacked.has_held
