"""Thousands of choices while one process after another is killed, stopped or refused its memory."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from tests.faults.outages.attacked import Attacked, attack_service, now, wait_for
from tests.faults.outages.full_memory import take_memory
from tests.faults.outages.stopped_processes import API_WORKER, MASTER, PATTERNS, find_victims, send
from tests.support.parallel_players import BOTS_AND_PEOPLE, PEOPLE
from tests.support.waiting import wait_until

GOAL = int(os.environ.get("CHOICES", "20000"))
# Between one fault and the next.
CHOICES = 250
LONGEST_STOP = 4.0
PROCESSES = (*PATTERNS, MASTER, API_WORKER)

Fault = Callable[[Attacked, Path, Random], str]


def kill_somebody(attacked: Attacked, folder: Path, random: Random) -> str:
    name = random.choice(PROCESSES)
    send(await_victims(attacked, name), signal.SIGKILL)
    return f"{name} killed"


def stop_somebody(attacked: Attacked, folder: Path, random: Random) -> str:
    name, seconds = random.choice(PROCESSES), random.uniform(0.2, LONGEST_STOP)
    victims = await_victims(attacked, name)
    send(victims, signal.SIGSTOP)
    wait_for(seconds)
    send(victims, signal.SIGCONT)
    return f"{name} stopped for {seconds:.1f} s"


def refuse_memory(attacked: Attacked, folder: Path, random: Random) -> str:
    seconds = random.uniform(0.2, LONGEST_STOP)
    with take_memory(folder):
        wait_for(seconds)
    return f"no memory for {seconds:.1f} s"


FAULTS: tuple[Fault, ...] = (kill_somebody, kill_somebody, stop_somebody, stop_somebody, refuse_memory)


def await_victims(attacked: Attacked, name: str) -> list[int]:
    """One that died a moment ago has to be there again first."""
    found: list[int] = []

    def is_there() -> bool:
        with suppress(AssertionError):
            found[:] = find_victims(attacked, name)
        return bool(found)

    wait_until(is_there, name)
    return found


def run(folder: Path, goal: int = GOAL) -> bool:
    """Play until so many choices were acknowledged, with one fault after the other."""
    random, started, waits = Random(), now(), [0.0]
    with attack_service(folder, (BOTS_AND_PEOPLE, PEOPLE)) as attacked:
        people = attacked.people
        while people.count_answers() < goal:
            fault, began = random.choice(FAULTS)(attacked, folder, random), now()
            people.play_further()
            waits.append(now() - began)
            print(f"   {people.count_answers():,}: {fault}; all play on after {waits[-1]:.1f} s", flush=True)
            people.await_answers(CHOICES)
    print(f"   {len(waits) - 1} faults in {now() - started:.0f} s, over after {max(waits):.1f} s at most")
    return attacked.has_held
