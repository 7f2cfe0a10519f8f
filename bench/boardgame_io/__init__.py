"""Choices of many games at once, against boardgame.io: one client program plays the same dice game on both.

Croupier runs as `croupier run` starts it and answers over HTTP once a choice is on disk. boardgame.io runs
with its default storage, in memory, and sends every choice to four clients of its own, one a player. `bare`
is the same server with one socket a game and no client, the least that it can be asked for.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import IO

import msgspec

from bench.ratio import Ratio, Skipped
from tests.support.service_process import free_port, run_service

FOLDER = Path(__file__).parent
OURS = "croupier"
PEER = "boardgame.io"
BARE = "bare socket"
# Seconds of one run for each number of games: shorter than a game takes.
RUN_SECONDS = {16: 0.7, 64: 2.0}
TURNS = 15
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


class Turn(msgspec.Struct, frozen=True):
    """A run of each side, one right after the other."""

    ours: Run
    peer: Run
    bare: Run


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

    def play_turns(self, games: int) -> list[Turn]:
        """Run all sides in turns. The first turn opens connections and compiles code, and does not count."""
        seconds = RUN_SECONDS[games]
        turns = [
            Turn(
                ours=self.play(OURS, games, seconds),
                peer=self.play(PEER, games, seconds),
                bare=self.play(BARE, games, seconds),
            )
            for _ in range(TURNS + 1)
        ]
        return turns[1:]


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


def compare_rates(games: int, turns: Sequence[Turn]) -> Ratio:
    ratios = [turn.ours.rate / turn.peer.rate for turn in turns]
    to_bare = median(turn.ours.rate / turn.bare.rate for turn in turns)
    middle = median_turn(turns, ratios)
    return Ratio(
        name=f"{games} games, against boardgame.io",
        ours=middle.ours.rate,
        peer=middle.peer.rate,
        unit="choices/s",
        demanded=LEAST_RATE,
        remark=f"{format_range(ratios)}; to a bare socket {to_bare:.2f}",
    )


def compare_p99(games: int, turns: Sequence[Turn]) -> Ratio:
    ratios = [turn.ours.p99 / turn.peer.p99 for turn in turns]
    middle = median_turn(turns, ratios)
    ours = median(turn.ours.p50 for turn in turns)
    peer = median(turn.peer.p50 for turn in turns)
    return Ratio(
        name=f"{games} games, p99, boardgame.io",
        ours=middle.ours.p99,
        peer=middle.peer.p99,
        unit="ms",
        demanded=MOST_P99,
        at_most=True,
        remark=f"{format_range(ratios)}; p50 {ours:.1f} : {peer:.1f} ms",
    )


def median_turn(turns: Sequence[Turn], ratios: Sequence[float]) -> Turn:
    """The turn whose ratio is the median one."""
    ranked = sorted(range(len(turns)), key=ratios.__getitem__)
    return turns[ranked[len(turns) // 2]]


def format_range(ratios: Sequence[float]) -> str:
    return f"{min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} turns"


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
            turns = client.play_turns(games)
            yield compare_rates(games, turns)
            yield compare_p99(games, turns)
