"""A server that still loads its log is waited for as long as it gets on."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from flask.testing import FlaskClient

from events.inspection import Loading, inspect_server
from events.redis import connect
from service.config import Misconfigured
from service.ops.preflight import LoadingWait, await_redis, check_redis
from service.ops.redis_server import RedisServer, find_running_url, is_answering
from tests.support.api_client import ApiClient
from tests.support.app import open_app_on
from tests.support.contract import check_response
from tests.support.faults import KEYS, make_slow_server
from tests.support.waiting import wait_until

BINARY = os.environ.get("CROUPIER_REDIS_SERVER")
LOADING_SECONDS = 2.0
SHORT = LOADING_SECONDS / 5


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = make_slow_server(tmp_path, BINARY, LOADING_SECONDS)
    yield server
    server.stop()


def count_keys(server: RedisServer) -> int:
    with redis.Redis.from_url(server.url) as client:
        return int(client.dbsize())


def test_our_own_server_is_not_given_up_while_it_loads(
    server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.start(patience=SHORT)
    assert count_keys(server) == KEYS
    assert "Redis is loading its log: " in capsys.readouterr().err


def spawn(server: RedisServer) -> None:
    """Until it listens, and not until it has loaded."""
    server.folder.mkdir(exist_ok=True)
    server.spawn()
    wait_until(server.socket.exists, "a server that listens")


@pytest.mark.long
def test_another_server_is_waited_for_with_progress_and_never_called_unfit(
    server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    spawn(server)
    assert not is_answering(server.url)
    with connect(server.url) as client:
        check_redis(client, server.url)
    await_redis(server.url, seconds=SHORT)
    told = capsys.readouterr().err
    assert count_keys(server) == KEYS
    assert "Redis is loading its log: " in told
    assert "appendonly" not in told


def test_a_server_that_loads_is_found_by_its_folder_and_described_as_loading(
    server: RedisServer, tmp_path: Path
) -> None:
    server.folder.mkdir(exist_ok=True)
    (server.folder / "url").write_text(server.url)
    spawn(server)
    assert find_running_url(tmp_path) == server.url
    with connect(server.url) as client:
        inspection = inspect_server(client)
    assert (inspection.cause, inspection.unfit) == ("loading", [])


@pytest.mark.long
def test_readyz_and_refusals_name_loading_as_the_cause(server: RedisServer) -> None:
    spawn(server)
    with open_app_on(server.url) as app:
        api = ApiClient(app.test_client())
        # Checked afterwards: on a busy machine reading the contract takes longer than the loading.
        unchecked = ApiClient(FlaskClient(app, app.response_class))
        not_ready = unchecked.get("/readyz")
        refused = unchecked.post("/v1/games", {"edition": "classic", "seats": [{"name": "A"}, {"name": "B"}]})
        for reply in (not_ready, refused):
            check_response(reply)
            assert reply.get_json()["cause"] == "loading"
        assert "still loading" in not_ready.get_json()["errors"][0]["detail"]
        wait_until(lambda: api.get("/readyz").status_code == 200, "the end of loading")
        api.create_for(2)


def test_a_new_supervisor_dismisses_an_orphan_that_still_loads(server: RedisServer, tmp_path: Path) -> None:
    server.folder.mkdir(exist_ok=True)
    (server.folder / "url").write_text(server.url)
    spawn(server)
    with RedisServer(tmp_path, BINARY) as heir:
        assert count_keys(heir) == KEYS
        assert server.process is not None
        wait_until(lambda: server.process is not None and server.process.poll() is not None, "its end")


def test_patience_ends_where_nothing_moves() -> None:
    patience = LoadingWait(0.05)
    wait_until(patience.is_over, "the end of patience")
    patience.record_progress(Loading(10, 50.0, 3))
    assert not patience.is_over()

    def stands_still() -> bool:
        patience.record_progress(Loading(10, 50.0, 3))
        return patience.is_over()

    wait_until(stands_still, "the end of patience with a server that is stuck")
    patience.record_progress(Loading(11, 55.0, 3))
    assert not patience.is_over()


def test_a_server_that_is_stuck_in_loading_is_named(server: RedisServer) -> None:
    spawn(server)
    with pytest.raises(Misconfigured, match=r"stuck at \d+ % of loading"):
        await_redis(server.url, seconds=0)
