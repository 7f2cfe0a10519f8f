"""The same bench on the code before, side by side: `python -m bench --against DIR`.

DIR is a checkout of other code with a `.venv` of its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.http import CHOICES, CLIENTS, Game
from bench.ratio import Ratio
from bench.servers import Server, serve
from service.ops.redis_server import RedisServer
from tests.support.http_client import HttpClient

HERE = Path(__file__).parents[1]
TURNS = 60
# Both benches run so often, one after the other.
ROUNDS = 3
# What the bench exits with where it is told to measure what is not there.
NO_SUCH_PART = 2
LINE = re.compile(r"(?P<name>\S.*?) +(?P<value>[\d.]+) ×  ")


def measure_choices(directory: Path) -> Iterator[Ratio]:
    """Rate and processor time of choices over HTTP. Both take turns; the one in the middle counts."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
        url = stack.enter_context(RedisServer(folder)).url
        servers = [stack.enter_context(serve(url, _command(where), where)) for where in (HERE, directory)]
        clients = [[HttpClient(server.base) for _ in range(CLIENTS)] for server in servers]
        pool = stack.enter_context(ThreadPoolExecutor(CLIENTS))
        turns = [
            [_play(pool, server, own) for server, own in zip(servers, clients, strict=True)]
            for _ in range(TURNS)
        ]
    ours, before = zip(*turns, strict=True)
    rate, cost = _medians(ours)
    rate_before, cost_before = _medians(before)
    yield Ratio("choices over HTTP, against before", rate, rate_before, "choices/s", 1.0)
    yield Ratio("processor time, against before", cost, cost_before, "ms a choice", 0.75, at_most=True)


def _medians(turns: Sequence[tuple[float, float]]) -> tuple[float, float]:
    rates, costs = zip(*turns, strict=True)
    return median(rates), median(costs)


def _command(where: Path) -> list[str]:
    return [str(where / ".venv/bin/croupier"), "serve"]


def _play(pool: ThreadPoolExecutor, server: Server, clients: Sequence[HttpClient]) -> tuple[float, float]:
    """Choices a second, and the milliseconds of processor time of the server that each took."""
    players = [islice(Game(client).choices(), CHOICES) for client in clients]
    used = server.processor_seconds()
    start = perf_counter()
    done = sum(pool.map(lambda player: sum(1 for _ in player), players))
    return done / (perf_counter() - start), (server.processor_seconds() - used) / done * 1000


def compare_part(directory: Path, part: str) -> Iterator[str]:
    """A part's ratios now and before: the median of each, after both have run in turns."""
    values: dict[str, list[list[float]]] = {}
    for _ in range(ROUNDS):
        for side, where in enumerate((HERE, directory)):
            for name, value in run_part(where, part):
                values.setdefault(name, [[], []])[side].append(value)
    for name, (now, before) in values.items():
        if now and before:
            yield f"{name:<34} {median(now):7.2f} × now, {median(before):.2f} × before"


def run_part(where: Path, part: str) -> Iterator[tuple[str, float]]:
    """Nothing where the code there has no such part. Raises CalledProcessError."""
    command = [str(where / ".venv/bin/python"), "-m", "bench", part]
    told = subprocess.run(command, cwd=where, stdout=subprocess.PIPE, text=True, check=False)
    if told.returncode != NO_SUCH_PART:
        told.check_returncode()
    for line in told.stdout.splitlines():
        print(f"    {line}", file=sys.stderr, flush=True)
        if found := LINE.match(line):
            yield found["name"], float(found["value"])
