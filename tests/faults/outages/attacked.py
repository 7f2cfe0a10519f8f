"""A service with people at play and somebody who watches, for the attacks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

from tests.faults.test_kills import check_promises
from tests.support.api_client import long_key
from tests.support.faults import Look, Watcher
from tests.support.http_client import HttpService
from tests.support.parallel_players import BOTS_AND_PEOPLE, ParallelPlayers, Seats, create_game
from tests.support.service_process import run_service
from tests.support.waiting import wait_until

READYZ = "/readyz"


class NotRun(Exception):
    """What this machine lacks for an attack: that nothing was tried is no sign that it would hold."""


class Attacked:
    def __init__(self, base: str, pid: int, people: ParallelPlayers, watcher: Watcher, table: str) -> None:
        self.base, self.pid, self.people, self.watcher, self.table = base, pid, people, watcher, table
        self.has_held = True

    def await_word(self, since: float, limit: float, fits: Callable[[Look], bool]) -> str:
        """What /readyz says first that fits, and after how long."""
        found = self.watcher.await_look(READYZ, since, fits, limit)
        if found is None:
            self.has_held = False
            return "NEVER"
        return f"{found.word!r} after {found.at + found.seconds - since:.1f} s"

    def await_trouble(self, cause: str, since: float, limit: float = 30.0) -> str:
        """Named by its cause: that something is said proves nothing."""
        return self.await_word(since, limit, lambda one: one.word == cause)

    def await_recovery(self, since: float, limit: float = 90.0) -> str:
        return self.await_word(since, limit, lambda one: one.word == "ready")

    def describe_reads(self, since: float, least: float = 0.0) -> str:
        """At least such a share of them must be answered."""
        reads = self.watcher.select(self.table, since)
        good = sum(one.status == 200 for one in reads)
        self.has_held &= good >= least * len(reads)
        slowest = max((one.seconds for one in reads), default=0.0)
        return f"{good} of {len(reads)} reads answered, the slowest after {slowest:.1f} s"


@contextmanager
def attack_service(
    folder: Path, seatings: Sequence[Seats] = (BOTS_AND_PEOPLE,), **environment: str
) -> Iterator[Attacked]:
    """In the end every game is played out, and everything that was acknowledged must be in its log, once."""
    data = folder / "data"
    with run_service(data, None, **environment) as (base, process):
        service = HttpService(base)
        table = create_game(service, {"name": "Anna"}, {"name": "Ben"}, key=long_key("a game to look at"))
        with (
            ParallelPlayers(service, seatings) as people,
            Watcher(base, READYZ, table.address) as watcher,
        ):
            people.play_further()
            yield Attacked(base, process.pid, people, watcher, table.address)
            people.play_further()
            people.finish()
        with redirect_stdout(StringIO()):
            for player in people.players:
                check_promises(player, folder)
        acknowledged = people.count_answers()
    lines = (folder / "data.log").read_text(errors="replace").splitlines()
    others = sum('"event":"request"' not in line for line in lines)
    print(f"   {acknowledged:,} acknowledged choices, none lost or doubled; {others} log lines of no request")


def wait_for(seconds: float) -> None:
    end = now() + seconds
    wait_until(lambda: now() > end, "the end of a while")


def now() -> float:
    return time.monotonic()
