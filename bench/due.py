"""What games that wait cost, and whether anybody has to wait for them: `python -m bench due [games ...]`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import datetime
from itertools import cycle, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic, sleep
from types import TracebackType
from typing import Any

from msgspec.structs import replace
from redis import Redis

from bench.ratio import Ratio
from events.chain import link
from events.commands import Create
from events.follower import RedisCursor
from events.packing import pack
from events.redis import connect
from events.redis_store import RedisStore
from events.types import GameCreated
from rules.legal import choices
from service.games.games import Games
from service.games.writer import Caller
from service.lobby.lobby import Lobby
from service.lobby.rebuild import PROJECTOR
from service.ops.redis_server import RedisServer
from tests.support.games import start_mixed_game
from tests.support.service_process import PROJECT, RECONCILE, WORK, Process, run_workers

COUNTS = (200, 2_000, 20_000)
IDLE_SECONDS = 10.0
BUSY_SECONDS = 12.0
CHOICES_PER_SECOND = 50
TIMED_GAMES = 20
TURN_SECONDS = 2
PATIENCE = 600.0
TICK = 0.1
CREW = (PROJECT, RECONCILE, WORK, WORK)
TICKS = os.sysconf("SC_CLK_TCK")


def measure() -> Iterator[Ratio]:
    for count in [int(word) for word in sys.argv[1:] if word.isdecimal()] or COUNTS:
        with ExitStack() as stack:
            folder = stack.enter_context(TemporaryDirectory(prefix="croupier-bench-"))
            url = stack.enter_context(RedisServer(folder)).url
            client = stack.enter_context(connect(url))
            copy_waiting_games(client, count)
            yield from measure_waiting(url, client, f"{count:,} waiting")


def measure_waiting(url: str, client: Redis, title: str) -> Iterator[Ratio]:
    games = Games(RedisStore(client))
    with run_workers(url, CREW) as crew:
        wait_until(lambda: is_settled(client), "everything derived")
        share = measure_cpu(crew[:2]) * 100
        yield Ratio(f"idle cost, {title}", share, 100.0, "% of a core", 0.02, at_most=True)
        with Timer() as timer:
            late = sorted(measure_lateness(games))
        p99 = late[int(len(late) * 0.99)] * 1000
        yield Ratio(
            f"deadline p99, {title}",
            p99,
            250.0,
            "ms",
            1.0,
            True,
            f"{len(late)} answers of the clock, median {late[len(late) // 2] * 1000:.0f} ms; "
            f"a timer that does nothing else is late by up to {timer.latest * 1000:.0f} ms now",
        )
    bare = f"starting a worker that does nothing takes {measure_bare_start() * 1000:,.0f} ms now"
    restarted = measure_first_answer(url, games) * 1000
    yield Ratio(f"first bot after restart, {title}", restarted, 2000.0, "ms", 1.0, True, bare)
    command = [str(Path(sys.executable).with_name("croupier")), "rebuild"]
    subprocess.run(command, env={**os.environ, "REDIS_URL": url}, check=True, stdout=subprocess.DEVNULL)
    rebuilt = measure_first_answer(url, games) * 1000
    yield Ratio(f"first bot after rebuild, {title}", rebuilt, 5000.0, "ms", 1.0, at_most=True)


def copy_waiting_games(client: Redis, count: int) -> None:
    """One small game under many ids, each with a chain of its own."""
    store = RedisStore(client)
    first = start_mixed_game(Games(store), "Anna", "Ben")
    (commit,) = store.read(first)
    created, *events = commit.events
    assert isinstance(commit.command, Create)
    assert isinstance(created, GameCreated)
    secrets: Mapping[Any, Any] = store.vault(first)
    with client.pipeline(transaction=False) as together:
        for number in range(1, count):
            game = f"g_waiting{number:013d}"
            facts = (replace(created, game=game), *events)
            copy = link(replace(commit, command=replace(commit.command, game=game), events=facts, hash=""))
            together.xadd(
                store.layout.game_key("game", game),
                {"e": pack(copy), "h": bytes.fromhex(copy.hash)},
                id="1-0",
            )
            together.hset(store.layout.game_key("vault", game), mapping=secrets)
            together.xadd(
                store.layout.feed_key(store.layout.partition(game)),
                {"g": game, "v": 1},
                maxlen=5_000,
                approximate=True,
            )
        together.execute()


def is_settled(client: Redis) -> bool:
    positions = RedisCursor(client, PROJECTOR).positions()
    return len(positions) == RedisStore(client).partitions and Lobby(client).is_whole()


def measure_cpu(processes: Sequence[Process]) -> float:
    """Processor seconds a second of all of them together."""
    sleep(3)
    before = sum(map(_cpu_seconds, processes))
    start = monotonic()
    sleep(IDLE_SECONDS)
    return (sum(map(_cpu_seconds, processes)) - before) / (monotonic() - start)


def _cpu_seconds(process: Process) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Timer(AbstractContextManager["Timer"]):
    """How late a thread wakes up on a machine that is busy with other things."""

    def __init__(self) -> None:
        self.latest = 0.0
        self._stopped = Event()
        self._thread = Thread(target=self._tick)
        self._thread.start()

    def _tick(self) -> None:
        started = monotonic()
        while not self._stopped.wait(TICK):
            self.latest = max(self.latest, monotonic() - started - TICK)
            started = monotonic()

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()


def measure_lateness(games: Games) -> Iterator[float]:
    """From each deadline to the answer of the clock, while others choose."""
    options = {"turn_seconds": TURN_SECONDS}
    timed = [start_mixed_game(games, "Anna", "Ben", options=options) for _ in range(TIMED_GAMES)]
    stopped = Event()
    players = Thread(target=choose_steadily, args=(games, stopped))
    players.start()
    sleep(BUSY_SECONDS)
    stopped.set()
    players.join()
    for game in timed:
        commits = games.commits(game)
        for asked, answered in pairwise(commits):
            yield (_time(answered.at) - _time(asked.at)).total_seconds() - TURN_SECONDS


def _time(at: str) -> datetime:
    return datetime.fromisoformat(at)


def choose_steadily(games: Games, stopped: Event) -> None:
    """People who answer at once, in ten games in turn."""
    for game in cycle([start_mixed_game(games, "Anna", "Ben", "Carla") for _ in range(10)]):
        started = monotonic()
        state = games.snapshot(game).state
        if state.ask is not None:
            seat = state.ask.awaited[0]
            games.choose(game, Caller(seat), state.ask.id, choices(state, seat)[0])
        if stopped.wait(max(0.0, 1 / CHOICES_PER_SECOND - (monotonic() - started))):
            return


def measure_bare_start() -> float:
    """What a machine that is busy with other things needs for the imports alone."""
    start = monotonic()
    crew = [subprocess.Popen([sys.executable, "-c", f"import workers.{name}, workers.jobs"]) for name in CREW]
    for process in crew:
        process.wait()
    return monotonic() - start


def measure_first_answer(url: str, games: Games) -> float:
    """From the start of all processes to the answer of a bot that thinks, in a game that is made then."""
    start = monotonic()
    with run_workers(url, CREW):
        game = start_mixed_game(games, "greedy", "Anna")
        wait_until(lambda: games.snapshot(game).version > 1, "the answer of the bot")
        return monotonic() - start


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    end = monotonic() + PATIENCE
    while not is_so():
        if monotonic() > end:
            raise TimeoutError(what)
        sleep(0.005)
