"""A game that nobody can go on with is told once by each process, and holds up no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from redis import Redis
from rq import Queue

from events.follower import Projector, RedisCursor
from events.redis_store import RedisStore
from service import logs, metrics
from service.container import build_backend
from service.games.games import Games
from service.incidents import MOST_GAMES, PoisonLog
from service.lobby.rebuild import describe_game
from service.queue.fair_queue import FairQueue
from service.queue.scheduler import QUEUE
from tests.service.ops.test_metrics import read_metric
from tests.support.app import capture_log
from tests.support.games import start_mixed_game
from tests.support.stores import LAYOUT
from workers.projector import projection_handler
from workers.reconciler import Reconciler
from workers.worker import make_worker


@pytest.fixture
def log() -> Iterator[BytesIO]:
    with capture_log() as stream:
        yield stream


@pytest.fixture
def sound(fake: Redis) -> str:
    """A game of bots that has waited for a minute."""
    games = Games(RedisStore(fake), lambda: datetime.now(UTC) - timedelta(minutes=1))
    return start_mixed_game(games, "random", "Anna")


@pytest.fixture
def poisoned(fake: Redis, sound: str) -> str:
    """Listed as active, and its newest commit is none."""
    games = Games(RedisStore(fake), lambda: datetime.now(UTC) - timedelta(minutes=1))
    game = start_mixed_game(games, "random", "Anna")
    for listed in (sound, game):
        describe_game(build_backend(fake), listed)
    fake.xadd(LAYOUT.game_key("game", game), {"e": "no commit", "h": "0" * 64}, "2-0")
    return game


def told(log: BytesIO) -> list[str]:
    lines = map(json.loads, log.getvalue().splitlines())
    return [line["game"] for line in lines if line["event"] == "game_poisoned"]


def counted(process: str) -> float:
    return read_metric(metrics.render_metrics(), "croupier_poison_games_total", process=process)


def test_the_reconciler_tells_once(fake: Redis, sound: str, poisoned: str, log: BytesIO) -> None:
    reconciler, before = Reconciler(build_backend(fake)), counted("reconciler")
    for _ in range(5):
        reconciler.step()
    assert told(log) == [poisoned]
    assert counted("reconciler") == before + 1
    assert FairQueue(fake).waiting_games() == {sound}


def test_the_projector_tells_once(fake: Redis, sound: str, poisoned: str, log: BytesIO) -> None:
    poison = PoisonLog(logs.logger(), "projector")
    backend = build_backend(fake)
    for name in ("one", "other", "third"):
        cursor = RedisCursor(fake, name, 0.01)
        Projector(backend.store, cursor, projection_handler(backend), poison.record).step()
    assert told(log) == [poisoned]
    assert FairQueue(fake).waiting_games() == {sound}


def test_a_worker_tells_once_and_leaves_no_failed_jobs(fake: Redis, poisoned: str, log: BytesIO) -> None:
    backend = build_backend(fake)
    for _ in range(3):
        backend.scheduler.schedule(poisoned)
        make_worker(fake).work(burst=True, logging_level="ERROR")
        assert backend.queue.waiting_games() == set()
    assert told(log) == [poisoned]
    assert Queue(QUEUE, connection=fake).failed_job_registry.count == 0


def test_another_fault_is_another_line(log: BytesIO) -> None:
    poison = PoisonLog(logs.logger(), "test")
    faults: list[Callable[[], Exception]] = [lambda: ValueError("one"), lambda: ValueError("other")]
    for fault in (*faults, *faults[1:]):
        poison.record("g_1", fault())
    assert told(log) == ["g_1", "g_1"]


def test_what_is_remembered_has_an_end(log: BytesIO) -> None:
    poison = PoisonLog(logs.logger(), "test")
    for number in range(MOST_GAMES + 1):
        poison.record(f"g_{number}", ValueError("one"))
    poison.record("g_0", ValueError("one"))
    assert told(log).count("g_0") == 2
