"""Writes that are refused: what is told, to whom, how often; and reads that go on."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import redis
from flask import Flask

from service.http.services import SERVICES
from service.logs import LossyStream
from service.ops.disk import RETURN_FACTOR, DiskGuard, measure_room
from service.ops.redis_server import RedisServer
from service.run_folder import FOLDER
from tests.support.api_client import ApiClient, Game
from tests.support.app import open_app_on
from tests.support.faults import kill_and_start
from tests.support.waiting import wait_until


@pytest.fixture
def served(spare_redis: RedisServer, log: BytesIO) -> Iterator[Flask]:
    with open_app_on(spare_redis.url) as app:
        yield app


def tell(server: RedisServer, *command: str) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.execute_command(*command)


OUTAGES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "memory": (("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0")),
    "role": (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE")),
    "replicas": (
        ("CONFIG", "SET", "min-replicas-to-write", "1"),
        ("CONFIG", "SET", "min-replicas-to-write", "0"),
    ),
    "evicting": (
        ("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"),
        ("CONFIG", "SET", "maxmemory-policy", "noeviction"),
    ),
}
REFUSING = ("memory", "role", "replicas")


def read_everything(game: Game) -> list[int]:
    paths = ("", "?at=1", "/events", "/audit")
    tables = [game.api.get(game.address + path).status_code for path in paths]
    own = game.api.get(game.address, next(iter(game.tokens.values()))).status_code
    return [*tables, own, game.api.get("/v1/games").status_code]


def count_lines(log: BytesIO, event: str) -> int:
    return sum(json.loads(line)["event"] == event for line in log.getvalue().splitlines())


@pytest.mark.parametrize("cause", REFUSING)
def test_the_cause_is_in_the_reply_the_problem_and_once_in_the_log_while_reads_go_on(
    cause: str, served: Flask, spare_redis: RedisServer, log: BytesIO
) -> None:
    api = ApiClient(served.test_client())
    game = api.create_for(2)
    seat, ask = game.ask()
    tell(spare_redis, *OUTAGES[cause][0])
    for _ in range(3):
        refused = game.choose(seat, ask["ask"], ask["options"][0]["choice"])
        assert (refused.status_code, refused.get_json()["cause"]) == (503, cause)
        assert refused.headers["Retry-After"]
        not_ready = api.get("/readyz").get_json()
        assert (not_ready["code"], not_ready["cause"], len(not_ready["errors"])) == ("not_ready", cause, 1)
        assert set(read_everything(game)) == {200}
    assert count_lines(log, "log_unavailable") == 1
    tell(spare_redis, *OUTAGES[cause][1])
    assert game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code == 200
    wait_until(lambda: api.get("/readyz").status_code == 200, "a service that is ready again")
    assert count_lines(log, "log_available") == 1


def test_a_server_that_would_lose_games_is_named_too(served: Flask, spare_redis: RedisServer) -> None:
    tell(spare_redis, *OUTAGES["evicting"][0])
    assert ApiClient(served.test_client()).get("/readyz").get_json()["cause"] == "evicting"


def test_a_server_that_is_gone_is_called_unreachable(served: Flask, spare_redis: RedisServer) -> None:
    spare_redis.stop()
    api = ApiClient(served.test_client())
    assert api.get("/readyz").get_json()["cause"] == "unreachable"
    assert api.get("/v1/games").get_json()["cause"] == "unreachable"


def test_to_ask_whether_a_write_would_be_kept_writes_nothing(served: Flask, spare_redis: RedisServer) -> None:
    with redis.Redis.from_url(spare_redis.url) as client:
        # Stores the time of the service, once a minute.
        served.extensions[SERVICES].clock()
        before = (log_size(client), client.dbsize())
        assert ApiClient(served.test_client()).get("/readyz").status_code == 200
        assert (log_size(client), client.dbsize()) == before


def log_size(client: redis.Redis) -> int:
    return int(client.info("persistence")["aof_current_size"])


# A disk that is almost full


@pytest.fixture
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv(FOLDER, str(folder))
    return folder


class Disk:
    def __init__(self) -> None:
        self.room = 5.0

    def measure(self, folder: Path) -> float:
        return self.room


def tend_until(server: RedisServer, condition: Callable[[], Any], what: str) -> None:
    def tended() -> Any:
        server.guard.update(server.url)
        return condition()

    wait_until(tended, what)


def test_writing_stops_before_the_disk_is_full_and_reading_does_not(
    served: Flask, spare_redis: RedisServer, run_folder: Path
) -> None:
    disk = Disk()
    spare_redis.guard = DiskGuard(spare_redis.folder, disk.measure)
    api = ApiClient(served.test_client())
    game = api.create_for(2)
    seat, ask = game.ask()

    def answer() -> int:
        return game.choose(seat, ask["ask"], ask["options"][0]["choice"]).status_code

    disk.room = 0.9
    tend_until(spare_redis, lambda: api.get("/readyz").status_code == 503, "a service that is not ready")
    assert api.get("/readyz").get_json()["cause"] == "disk"
    assert answer() == 503
    kill_and_start(spare_redis)
    assert answer() == 503, "after a restart, too"
    assert set(read_everything(game)) == {200}
    disk.room = RETURN_FACTOR - 0.1
    spare_redis.guard.update(spare_redis.url)
    assert answer() == 503, "a little room is not enough to go on"
    disk.room = RETURN_FACTOR + 0.1
    tend_until(spare_redis, lambda: api.get("/readyz").status_code == 200, "a service that is ready")
    assert answer() == 200


def test_a_log_that_cannot_be_written_costs_nobody_an_answer() -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        with pytest.raises(OSError, match="No space left"):
            full.write(b"a line")
        LossyStream(full).write(b"a line")


def test_room_is_measured_in_what_is_kept_in_reserve(tmp_path: Path) -> None:
    assert measure_room(tmp_path) > 0
