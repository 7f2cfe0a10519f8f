"""Projector, reconciler and workers as processes on a real Redis, and what happens when one of them dies."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest
import redis
from rq.exceptions import StopRequested

from events.follower import RedisCursor
from events.redis import connect
from events.redis_store import RedisStore
from service.games.games import Games
from service.lobby.lobby import Lobby
from service.lobby.rebuild import PROJECTOR
from service.ops.redis_server import RedisServer
from tests.support.faults import kill_and_start
from tests.support.games import awaited_seats, choose, is_over, start_mixed_game, verify_stored
from tests.support.service_process import PROJECT, RECONCILE, WORK, Process, run_workers, start_worker
from tests.support.waiting import PATIENCE, wait_until
from workers.worker import AUTOGROUP, IDLE_SECONDS, NICENESS, SLICE, make_worker

# What Linux tells about the scheduling of the process that reads it.
SCHED = Path("/proc/self/sched")
EVERYBODY = (PROJECT, RECONCILE, WORK)


@pytest.fixture
def url(real_redis: redis.Redis, redis_server: RedisServer) -> str:
    """Of an empty server."""
    return redis_server.url


@pytest.fixture
def store(url: str) -> Iterator[RedisStore]:
    with connect(url) as client:
        yield RedisStore(client)


def play(games: Games, game: str, seat: int) -> None:
    """A person plays to the end, whenever it is their turn."""
    random = Random(1)
    while not is_over(games, game):
        wait_until(
            lambda: seat in awaited_seats(games, game) or is_over(games, game), "an answer of the bots"
        )
        if not is_over(games, game):
            choose(games, game, seat, random)


def test_a_person_plays_against_bots_to_the_end(url: str, store: RedisStore) -> None:
    games = Games(store)
    with run_workers(url, EVERYBODY):
        game = start_mixed_game(games, "greedy", "Anna", "random")
        play(games, game, 1)
    assert verify_stored(store, game).ok


@pytest.mark.long
def test_a_worker_killed_in_the_middle_of_a_game_costs_nothing_but_seconds(
    url: str, store: RedisStore
) -> None:
    games = Games(store)
    with run_workers(url, EVERYBODY) as processes:
        game = start_mixed_game(games, "Anna", "greedy", "greedy", "greedy")
        version = choose(games, game, 0).version
        wait_until(lambda: games.snapshot(game).version > version, "an answer of the first bot")
        processes[-1].kill()
        processes[-1].wait()
        processes.append(start_worker(WORK, url))
        play(games, game, 0)
    assert verify_stored(store, game).ok


@pytest.mark.long
def test_an_emptied_queue_costs_a_game_nothing_but_seconds(
    url: str, store: RedisStore, real_redis: redis.Redis
) -> None:
    """The queue is lost before any worker is there; then the reconciler alone must find the game."""
    games = Games(store)
    with run_workers(url, (PROJECT, RECONCILE)) as processes:
        game = start_mixed_game(games, "random", "Anna")
        wait_until(lambda: real_redis.llen("rq:queue:bots"), "the nudge")
        for key in real_redis.scan_iter("rq:*"):
            real_redis.delete(key)
        processes.append(start_worker(WORK, url))
        wait_until(lambda: awaited_seats(games, game) == (1,), "the answer of the bot")


def test_a_dropped_lobby_is_filled_from_the_log(url: str, store: RedisStore, real_redis: redis.Redis) -> None:
    games, lobby = Games(store), Lobby(real_redis)
    with run_workers(url, (PROJECT, RECONCILE)):
        game = start_mixed_game(games, "Anna", "Ben")
        wait_until(lambda: list(lobby.active_games()) == [game], "the game in the lobby")
        Lobby(real_redis).clear()
        wait_until(lambda: list(lobby.active_games()) == [game], "the game in the lobby again")


def test_who_lets_the_time_run_out_is_answered_for(url: str, store: RedisStore) -> None:
    """W1."""
    games = Games(store)
    with run_workers(url, EVERYBODY):
        game = start_mixed_game(games, "Anna", "random", options={"turn_seconds": 1})
        wait_until(lambda: games.snapshot(game).version > 2, "the answers of clock and bot")
    assert [commit.by for commit in games.commits(game)][1:3] == ["clock", "seat-1"]


@pytest.mark.long
def test_all_go_on_after_redis_was_killed(spare_redis: RedisServer) -> None:
    with run_workers(spare_redis.url, EVERYBODY) as processes, connect(spare_redis.url) as client:
        store = RedisStore(client)
        games = Games(store)
        game = start_mixed_game(games, "greedy", "greedy", "greedy", edition="royale")
        wait_until(lambda: games.snapshot(game).version > 5, "the beginning of the game")
        kill_and_start(spare_redis)
        wait_until(lambda: is_over(games, game), "the end of the game")
        assert [process.poll() for process in processes] == [None] * len(EVERYBODY)
        assert verify_stored(store, game).ok


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_every_process_with_0(
    url: str, store: RedisStore, real_redis: redis.Redis, number: signal.Signals
) -> None:
    games = Games(store)
    with run_workers(url, EVERYBODY) as processes:
        game = start_mixed_game(games, "random", "Anna")
        wait_until(lambda: awaited_seats(games, game) == (1,), "the answer of the bot")
        wait_until(lambda: RedisCursor(real_redis, PROJECTOR).positions(), "the projector's first round")
        wait_until(Lobby(real_redis).is_whole, "the reconciler's first round")
        for process in processes:
            process.send_signal(number)
        assert [process.wait(PATIENCE) for process in processes] == [0, 0, 0]


@pytest.mark.long
@pytest.mark.parametrize("module", EVERYBODY)
def test_without_a_redis_it_says_what_is_missing(module: str, tmp_path: Path) -> None:
    environ = {**os.environ, "REDIS_URL": "", "PYTHONPATH": os.getcwd()}
    ended = subprocess.run(
        [sys.executable, "-m", f"workers.{module}"], env=environ, cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 1
    assert "REDIS_URL" in ended.stderr


@contextmanager
def overheard(url: str, log: Path) -> Iterator[Process]:
    """A worker that writes what it has to say into a file."""
    environ = {**os.environ, "REDIS_URL": url, "LOG_LEVEL": "info"}
    with log.open("wb") as stderr:
        worker = subprocess.Popen([sys.executable, "-m", "workers.worker"], env=environ, stderr=stderr)
    try:
        yield worker
    finally:
        worker.kill()
        worker.wait()


def test_a_worker_that_is_told_to_stop_says_nothing_and_leaves_the_books(
    url: str, store: RedisStore, real_redis: redis.Redis, tmp_path: Path
) -> None:
    games, log = Games(store), tmp_path / "log"
    with run_workers(url, (PROJECT, RECONCILE)), overheard(url, log) as worker:
        game = start_mixed_game(games, "random", "Anna")
        wait_until(lambda: awaited_seats(games, game) == (1,), "the answer of the bot")
        assert real_redis.pubsub_channels("rq:*") == []
        assert real_redis.scard("rq:workers") == 1
        wait_until(lambda: idles(real_redis), "the end of its job")
        worker.send_signal(signal.SIGINT)
        assert worker.wait(PATIENCE) == 0
    assert real_redis.scard("rq:workers") == 0
    # A slow machine is told of: the game waited long until somebody could play it.
    assert {json.loads(line)["event"] for line in log.read_text().splitlines()} <= {"games_waited_long"}


def idles(client: redis.Redis) -> bool:
    [key] = client.smembers("rq:workers")
    return client.hget(key, "state") == b"idle"


@pytest.mark.long
def test_a_worker_leaves_though_nothing_was_raised_where_it_waits(url: str, real_redis: redis.Redis) -> None:
    """A stop may also come before RQ listens to signals."""
    left = Event()

    def wait_for_work() -> None:
        with pytest.raises(StopRequested):
            worker.dequeue_job_and_maintain_ttl(IDLE_SECONDS)
        left.set()

    with connect(url) as client:
        worker = make_worker(client)
        worker.stopped = Event()
        worker.register_birth()  # type: ignore[no-untyped-call]
        waiting = Thread(target=wait_for_work, daemon=True)
        waiting.start()
        wait_until(lambda: idles(real_redis), "its waiting")
        worker.stopped.set()
        assert left.wait(PATIENCE)
        waiting.join(PATIENCE)


@pytest.mark.long
def test_a_worker_that_loses_redis_in_the_middle_of_a_job_says_so_in_single_lines(
    spare_redis: RedisServer, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with connect(spare_redis.url) as client, overheard(spare_redis.url, log) as worker:
        games = Games(RedisStore(client))
        with run_workers(spare_redis.url, (PROJECT, RECONCILE)):
            game = start_mixed_game(games, "greedy", "greedy", "greedy", edition="royale")
            wait_until(lambda: games.snapshot(game).version > 5, "the beginning of the game")
            kill_and_start(spare_redis)
            wait_until(lambda: is_over(games, game), "the end of the game")
            game = start_mixed_game(games, "greedy", "greedy", "greedy", edition="royale")
            wait_until(lambda: games.snapshot(game).version > 5, "the beginning of another")
            spare_redis.stop()
            before = log.stat().st_size
            wait_until(lambda: log.stat().st_size > before, "a word about it")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert lines, "nothing was said"
    assert [line for line in lines if "exception" in line or "Traceback" in line["event"]] == []


@pytest.mark.long
def test_a_worker_yields_to_requests_also_where_sessions_share_the_processor() -> None:
    program = "import os; from workers import worker; worker.yield_to_requests(); print(os.nice(0), end=' ')"
    if AUTOGROUP.exists():
        program += "; print(worker.AUTOGROUP.read_text().split()[-1])"
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, start_new_session=True, capture_output=True, text=True, check=True)
    assert set(told.stdout.split()) == {str(NICENESS)}


def test_a_worker_asks_for_long_slices_of_the_processor() -> None:
    """Kernels before 6.12, and those that tell nothing about a process, show no slice that was asked for."""
    file = str(SCHED) if SCHED.exists() else os.devnull
    program = f"from workers import worker; worker.take_long_slices(); print(open({file!r}).read())"
    command = [sys.executable, "-c", program]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    knows_slices = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 12)
    shown = re.findall(r"^se\.slice *: *(\d+)$", told, re.MULTILINE)
    assert shown in ([], [str(SLICE)]) or not knows_slices


def test_a_worker_keeps_the_scheduling_class_that_its_operator_chose() -> None:
    """Where there are such classes: Linux has them."""
    program = "from workers import worker; worker.take_long_slices()"
    if sys.platform == "linux":
        chosen = "import os; os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))"
        program = f"{chosen}; {program}; assert os.sched_getscheduler(0) == os.SCHED_BATCH"
    subprocess.run([sys.executable, "-c", program], check=True)
