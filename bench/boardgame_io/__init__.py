"""Choices of many games at once, against boardgame.io: one client program plays the same dice game on both.

Croupier runs as `croupier run` starts it and answers over HTTP once a choice is on disk. boardgame.io runs
with its default storage, in memory, and answers over its socket. `client.js` is the client, `server.js` the
peer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import IO

import msgspec

from bench.ratio import Ratio, Skipped
from tests.support.service_process import free_port, run_service

FOLDER = Path(__file__).parent
OURS = "croupier"
PEER = "boardgame.io"
# Seconds of one run for each number of games: shorter than a game takes.
RUN_SECONDS = {16: 0.7, 64: 2.0}
PAIRS = 15
LEAST_RATE = 0.95
MOST_P99 = 1.5
# Callers are counted as usual, and none is refused.
NO_LIMIT = "100000000 per minute"


class Run(msgspec.Struct, frozen=True):
    """One run of the client: how long it was, and how long each choice took until it was acknowledged."""

    seconds: float
    milliseconds: list[float]

    @property
    def rate(self) -> float:
        """Choices a second."""
        return len(self.milliseconds) / self.seconds

    @property
    def p50(self) -> float:
        return quantiles(self.milliseconds, n=100)[49]

    @property
    def p99(self) -> float:
        return quantiles(self.milliseconds, n=100)[98]


class Pair(msgspec.Struct, frozen=True):
    """Two runs, one right after the other."""

    ours: Run
    peer: Run


class Client:
    """The running client program; it keeps its connections from one run to the next."""

    def __init__(self, requests: IO[bytes], replies: IO[bytes]) -> None:
        self._requests = requests
        self._replies = replies

    def play(self, side: str, games: int, seconds: float) -> Run:
        """Play so many games at once. Raises msgspec.DecodeError when the client has failed."""
        request = {"side": side, "games": games, "seconds": seconds}
        self._requests.write(msgspec.json.encode(request) + b"\n")
        self._requests.flush()
        return msgspec.json.decode(self._replies.readline(), type=Run)

    def play_pairs(self, games: int) -> list[Pair]:
        """Both sides in turns. The first pair opens connections and compiles code, and does not count."""
        seconds = RUN_SECONDS[games]
        pairs = [
            Pair(ours=self.play(OURS, games, seconds), peer=self.play(PEER, games, seconds))
            for _ in range(PAIRS + 1)
        ]
        return pairs[1:]


def install() -> None:
    """Install boardgame.io as `package-lock.json` pins it. Raises Skipped."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Skipped(f"{program} is missing")
    lock = FOLDER / "package-lock.json"
    installed = FOLDER / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    command = ["npm", "ci", "--no-audit", "--no-fund", "--prefix", str(FOLDER)]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skipped("npm cannot install boardgame.io")
    installed.touch()


@contextmanager
def run_node(script: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    environ = {**os.environ, "NODE_ENV": "production"}
    command = ["node", script, *arguments]
    with subprocess.Popen(
        command, cwd=FOLDER, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def run_peer() -> Iterator[str]:
    """The address of boardgame.io's server."""
    port = free_port()
    with run_node("server.js", str(port)) as process:
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError("boardgame.io did not start")
        yield f"http://127.0.0.1:{port}"


@contextmanager
def run_client(ours: str, peer: str) -> Iterator[Client]:
    with run_node("client.js", ours, peer) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Client(process.stdin, process.stdout)


def compare_rates(games: int, pairs: Sequence[Pair]) -> Ratio:
    pair = median_pair(pairs, lambda run: run.rate)
    return Ratio(
        name=f"{games} games, against boardgame.io",
        ours=pair.ours.rate,
        peer=pair.peer.rate,
        unit="choices/s",
        demanded=LEAST_RATE,
        remark=f"ratios of {len(pairs)} pairs: {format_range(pairs, lambda run: run.rate)}",
    )


def compare_p99(games: int, pairs: Sequence[Pair]) -> Ratio:
    pair = median_pair(pairs, lambda run: run.p99)
    half = median_pair(pairs, lambda run: run.p50)
    spread = format_range(pairs, lambda run: run.p99)
    return Ratio(
        name=f"{games} games, p99, boardgame.io",
        ours=pair.ours.p99,
        peer=pair.peer.p99,
        unit="ms",
        demanded=MOST_P99,
        at_most=True,
        remark=f"ratios: {spread}; p50 {half.ours.p50:.1f} : {half.peer.p50:.1f} ms",
    )


def median_pair(pairs: Sequence[Pair], figure: Callable[[Run], float]) -> Pair:
    """The pair whose ratio of this figure is the median one."""
    return sorted(pairs, key=lambda pair: ratio(pair, figure))[len(pairs) // 2]


def format_range(pairs: Sequence[Pair], figure: Callable[[Run], float]) -> str:
    ratios = [ratio(pair, figure) for pair in pairs]
    return f"{min(ratios):.2f} to {max(ratios):.2f}"


def ratio(pair: Pair, figure: Callable[[Run], float]) -> float:
    return figure(pair.ours) / figure(pair.peer)


def measure() -> Iterator[Ratio]:
    """Raises Skipped where boardgame.io cannot be installed."""
    install()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="croupier-bench-")))
        service = run_service(
            folder / "data",
            RATE_LIMITS="on",
            LIMIT_CREATING=NO_LIMIT,
            LIMIT_PLAYING=NO_LIMIT,
            LIMIT_READING=NO_LIMIT,
            OPEN_GAMES="0",
        )
        base, _ = stack.enter_context(service)
        client = stack.enter_context(run_client(base, stack.enter_context(run_peer())))
        for games in RUN_SECONDS:
            pairs = client.play_pairs(games)
            yield compare_rates(games, pairs)
            yield compare_p99(games, pairs)
