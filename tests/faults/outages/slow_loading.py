"""A log that takes long to load, at the start and after a kill in the middle of play."""

from __future__ import annotations

import os
from pathlib import Path

from tests.faults.outages.attacked import attack_service, now
from tests.support.faults import make_slow_server
from tests.support.service_process import descendants_matching, kill

SECONDS = 75.0
KEYS = 30_000


def run(folder: Path) -> bool:
    """Longer than the minute that a server of our own has to say something."""
    server = make_slow_server(folder / "data", os.environ.get("CROUPIER_REDIS_SERVER"), SECONDS, KEYS)
    started = now()
    with attack_service(folder, CROUPIER_REDIS_SERVER=server.binary) as attacked:
        print(f"   a log that takes {SECONDS:.0f} s to load: ready after {now() - started:.0f} s", flush=True)
        killed = now()
        kill(descendants_matching(attacked.pid, "(redis|valkey)-server"))
        told = attacked.await_word(killed, SECONDS, lambda one: one.word == "loading")
        recovery = attacked.await_recovery(now(), 2 * SECONDS)
        print(f"   killed: /readyz said {told}; ready {recovery}", flush=True)
    said = [line for line in (folder / "data.log").read_text().splitlines() if "is loading its log" in line]
    print(f"   stderr: {said[len(said) // 2]}")
    return attacked.has_held
