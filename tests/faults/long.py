"""The attacks in full, with figures: `make faults`, or with a part of their names `make faults ATTACK=disk`.

CHOICES=1000 makes the long run of 20,000 choices shorter, REQUESTS=1000 that of 100,000 mutated requests.
CROUPIER_TREE=/path/to/another/checkout attacks the service of that one, for a figure before and after.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.outages import (
    archived,
    cluster_trial,
    crowded,
    cut_lines,
    endurance,
    failovers,
    full_disk,
    full_memory,
    full_room,
    keyed,
    killed_program,
    mutated,
    restored,
    set_clock,
    slow_fsync,
    slow_loading,
    stopped_processes,
)
from tests.faults.outages.attacked import NotRun
from tests.support.bot_flood import flood, percentile_95, play_and_time
from tests.support.service_process import run_service

FLOOD_GAMES = 100
QUIET_SECONDS, FLOOD_SECONDS = 10, 40
CHOICE_SECONDS, BOT_SECONDS = 0.1, 0.5
HELD, NOT_HELD = "held", "NOT held"


def measure_flood(folder: Path, stranger: str) -> bool:
    """A hundred dear games of somebody else; before there were lanes, a bot's answer took 19 to 33 s."""
    with run_service(folder / "data", RATE_LIMITS="off") as (base, _):
        print(f"  quiet: {play_and_time(base, '127.0.0.1', QUIET_SECONDS)}")
        with flood(base, stranger, FLOOD_GAMES):
            waits = play_and_time(base, "127.0.0.1", FLOOD_SECONDS)
    print(f"  crowded: {waits}")
    return percentile_95(waits.choices) < CHOICE_SECONDS and percentile_95(waits.bots) < BOT_SECONDS


ATTACKS: dict[str, Callable[[Path], bool]] = {
    "killed while archiving into a folder": archived.killed_with_a_folder,
    "killed while archiving into a bucket": archived.killed_with_a_bucket,
    "killed while restoring with a folder": archived.killed_restore_into_a_folder,
    "killed while restoring with a bucket": archived.killed_restore_into_a_bucket,
    "a flood of dear games from another address": lambda folder: measure_flood(folder, "127.0.0.2"),
    "the same from the player's own address": lambda folder: measure_flood(folder, "127.0.0.1"),
    "keys: 500 players in 2,000 games, beside a flood and another key": keyed.run,
    "creations without end": crowded.flood_of_creations,
    "dear reads from another address": crowded.dear_reads,
    "bad bodies from another address": crowded.bad_bodies,
    "half-sent bodies": crowded.half_bodies,
    "half-sent files": crowded.half_files,
    "half-sent headers": crowded.half_heads,
    "connections without a word": crowded.silent_connections,
    "streams beyond the descriptors": crowded.too_many_streams,
    "lines to readers cut 500 times": cut_lines.run,
    "a program in 50 games, killed 20 times": killed_program.run,
    "mutated requests": mutated.run,
    "each process stopped, for a while and for good": stopped_processes.run,
    "20,000 choices while processes are killed and stopped": endurance.run,
    "a restore at every version of a game": restored.run,
    **{
        f"a master is {name}, {where} and {durability}": partial(run, fault=fault, durability=durability)
        for where, run in (("with Sentinel", failovers.run), ("in a Cluster", failovers.run_in_cluster))
        for name, fault in failovers.FAULTS.items()
        for durability in (failovers.REPLICATED, failovers.LOCAL)
        if durability == failovers.REPLICATED or fault.silence
    },
    "60 games in a cluster whose masters are lost in every way": cluster_trial.run,
    "slots are moved in a Cluster": partial(failovers.run_in_cluster, fault=failovers.MOVE),
    "no memory": full_memory.run,
    "memory filled by strangers": full_room.run,
    "a clock that is set by an hour and by eight days": set_clock.run,
    "no room on the disk": full_disk.run,
    "a disk that takes its time": slow_fsync.run,
    "a log that takes longer than a minute to load": slow_loading.run,
}


def attack(run: Callable[[Path], bool]) -> str:
    """How it ended."""
    try:
        with TemporaryDirectory(prefix="croupier-faults-") as folder:
            return HELD if run(Path(folder)) else NOT_HELD
    except NotRun as lack:
        return f"not run: {lack}"


def main() -> int:
    endings = list[str]()
    for name, run in ATTACKS.items():
        if all(word in name for word in sys.argv[1:]):
            print(name, flush=True)
            endings.append(attack(run))
            print(f"  {endings[-1]}", flush=True)
    held, failed = endings.count(HELD), endings.count(NOT_HELD)
    print(f"{held} held, {failed} did not, {len(endings) - held - failed} not run")
    return failed


if __name__ == "__main__":
    sys.exit(main())
