"""SIGSTOP of each process in turn: who says so, and whether it comes back by itself; then a short stop."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from tests.faults.outages.attacked import Attacked, attack_service, now, wait_for
from tests.support.service_process import descendants_matching
from tests.support.waiting import wait_until

PATTERNS = {
    "projector": r"workers\.project",
    "reconciler": r"workers\.reconcile",
    "all workers": r"workers\.work",
    "redis": "(redis|valkey)-server",
}
# What /readyz must say of them.
WORDS = {
    "projector": "projector",
    "reconciler": "reconciler",
    "all workers": "worker",
    "redis": "unreachable",
}
MASTER, API_WORKER = "gunicorn's master", "one process of the API"
# A little longer than a process may hang.
LIMIT = 45.0
SHORT = 3.0


def find_victims(attacked: Attacked, name: str) -> list[int]:
    if name in PATTERNS:
        return descendants_matching(attacked.pid, PATTERNS[name])
    master, *workers = sorted(descendants_matching(attacked.pid, "gunicorn"))
    return [master] if name == MASTER else workers[:1]


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def are_gone(pids: list[int]) -> bool:
    return not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def stop_for_good(attacked: Attacked, name: str) -> None:
    victims, started = find_victims(attacked, name), now()
    send(victims, signal.SIGSTOP)
    told = attacked.await_word(started, LIMIT, lambda one: WORDS.get(name, "api") in one.word)
    wait_until(lambda: are_gone(victims) or now() > started + LIMIT, "their end")
    attacked.has_held &= are_gone(victims)
    gone = f"replaced after {now() - started:.0f} s" if are_gone(victims) else "NEVER replaced"
    reads = attacked.describe_reads(started)
    send(victims, signal.SIGCONT)
    again = now()
    print(f"   {name} stopped: /readyz said {told}; {gone}; ", end="", flush=True)
    print(f"ready {attacked.await_recovery(again)}; {reads}", flush=True)
    attacked.people.play_further()


def stop_for_a_while(attacked: Attacked, name: str) -> None:
    victims, started = find_victims(attacked, name), now()
    send(victims, signal.SIGSTOP)
    wait_for(SHORT)
    send(victims, signal.SIGCONT)
    attacked.people.play_further()
    print(f"   {name} stopped for {SHORT:.0f} s: all play on after {now() - started:.1f} s", flush=True)


def run(folder: Path) -> bool:
    with attack_service(folder) as attacked:
        for name in (*PATTERNS, MASTER, API_WORKER):
            stop_for_a_while(attacked, name)
        for name in (*PATTERNS, MASTER, API_WORKER):
            stop_for_good(attacked, name)
    return attacked.has_held
