"""A Redis for the queue alone: it may go away and come back empty, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
import redis

from events.follower import RedisCursor
from events.redis import connect
from service.container import Backend, open_backend
from service.games.deadlines import REPAIR
from service.lobby.rebuild import PROJECTOR, rebuild_lobby
from service.ops.redis_server import RedisServer, find_running_url
from service.queue.fair_queue import FairQueue
from tests.support.faults import kill_and_start
from tests.support.games import awaited_seats, choose, start_mixed_game
from tests.support.http_client import Call, HttpPlayer, HttpService, SeatedGame
from tests.support.service_process import run_service
from tests.support.waiting import wait_until
from workers.jobs import backend_on
from workers.projector import make_projector
from workers.reconciler import Reconciler
from workers.worker import make_worker

# What creators are known by: it is not derived, and stays with the games.
KEY = b"croupier:{lanes}:key"


@pytest.fixture
def backend(
    redis_server: RedisServer,
    real_redis: redis.Redis,
    spare_redis: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Backend]:
    """The games are in one Redis, the queue is in another."""
    monkeypatch.setenv("REDIS_URL", redis_server.url)
    monkeypatch.setenv("QUEUE_URL", spare_redis.url)
    with open_backend(redis_server.url) as backend:
        rebuild_lobby(backend)
        yield backend


def work(server: RedisServer) -> None:
    """Run all jobs that wait there."""
    with connect(server.url) as client:
        make_worker(client).work(burst=True, logging_level="CRITICAL")
        backend_on(client).redis.close()


def test_bots_go_on_by_themselves_after_the_queue_was_lost(
    backend: Backend, real_redis: redis.Redis, spare_redis: RedisServer
) -> None:
    projector = make_projector(backend, RedisCursor(real_redis, PROJECTOR, 0.01))
    game = start_mixed_game(backend.games, "Anna", "random")
    projector.step()
    assert spare_redis.process is not None
    spare_redis.process.kill()
    spare_redis.process.wait()
    choose(backend.games, game, 0)
    projector.step()
    (line,) = backend.lobby.page().games
    assert line.version == backend.games.snapshot(game).version
    assert awaited_seats(backend.games, game) == (1,)

    kill_and_start(spare_redis)
    with connect(spare_redis.url) as queue:
        queue.flushall()
        late = backend.clock() + REPAIR + timedelta(seconds=1)
        reconciler = Reconciler(backend, lambda: late)

        def is_queued() -> bool:
            nonlocal late
            late += REPAIR
            reconciler.step()
            return FairQueue(queue).waiting_games() == {game}

        wait_until(is_queued, "the game being queued again")
    work(spare_redis)
    assert awaited_seats(backend.games, game) == (0,)


def answer_once(player: HttpPlayer, game: SeatedGame, call: Call) -> None:
    """Answer for the one person at the table, as soon as they are asked."""

    def has_answered() -> bool:
        table = call("GET", game.address)
        is_asked = 0 in table["asks"][0]["seats"]
        return is_asked and bool(player.go_on(game, table))

    wait_until(has_answered, "an answer")


@pytest.mark.long
def test_a_service_plays_on_while_its_queue_is_lost(tmp_path: Path, spare_redis: RedisServer) -> None:
    folder = tmp_path / "service" / "data"
    folder.parent.mkdir()
    with run_service(
        folder, QUEUE_URL=spare_redis.url, RATE_LIMITS="on", LIMIT_CREATING="100 per minute"
    ) as (base, _):
        http = HttpService(base)
        seats = [{"name": "Anna"}, {"bot": "random"}]
        game = SeatedGame(http.insist("POST", "/v1/games", {"edition": "classic", "seats": seats}))
        player = HttpPlayer(http.insist, Random(1))
        for _ in range(2):
            answer_once(player, game, http.insist)
        wait_until(lambda: 0 in http.insist("GET", game.address)["asks"][0]["seats"], "the answer of the bot")
        with connect(find_running_url(folder) or "") as games, connect(spare_redis.url) as queue:
            ours = {bytes(name) for name in games.scan_iter()}
            assert {name for name in ours if name.startswith((b"rq:", b"croupier:{lanes}"))} == {KEY}
            assert not any(name.startswith(b"croupier:{limits}") for name in ours)
            counted = [name for name in queue.scan_iter() if name.startswith(b"croupier:{limits}")]
            assert counted
            assert not queue.exists(KEY)
        assert spare_redis.process is not None
        spare_redis.process.kill()
        spare_redis.process.wait()
        answer_once(player, game, http.insist)
        made = http.call("POST", "/v1/games", {"edition": "classic", "seats": seats})
        assert made.status == 201
        kill_and_start(spare_redis)
        with connect(spare_redis.url) as queue:
            queue.flushall()
        for _ in range(2):
            answer_once(player, game, http.insist)
