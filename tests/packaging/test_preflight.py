"""What is refused before anything runs: one line that names the cause, and no traceback."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from events.redis import connect
from service import cli
from service.config import Misconfigured, Settings
from service.ops import run
from service.ops.preflight import await_free_port, await_redis, check_redis
from service.ops.redis_server import RedisServer
from tests.support.http_client import HttpService
from tests.support.service_process import CROUPIER, free_port, run_service
from tests.support.waiting import PATIENCE, wait_until

BINARY = os.environ.get("CROUPIER_REDIS_SERVER")
FORGET = "CONFIG SET appendonly no"
WORKERS = [[sys.executable, "-m", f"workers.{name}"] for name in ("projector", "reconciler", "worker")]
GUNICORN = [sys.executable, "-m", "gunicorn", "--bind", "127.0.0.1:0", "service.http.server.wsgi:app"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path / "redis", BINARY) as server:
        yield server


def tell(server: RedisServer, command: str) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.execute_command(*command.split())


def run_to_end(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    told = {**os.environ, "PORT": str(free_port()), **environment}
    return subprocess.run(command, env=told, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.parametrize("command", ["run", pytest.param("serve", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("told", "remedy"),
    [
        (FORGET, "set appendonly yes"),
        ("CONFIG SET maxmemory-policy allkeys-lru", "set maxmemory-policy noeviction"),
        ("REPLICAOF 127.0.0.1 1", "use the master's address"),
    ],
    ids=["keeps no file", "evicts", "is a replica"],
)
def test_a_redis_that_could_lose_games_is_refused_with_a_remedy(
    server: RedisServer, command: str, told: str, remedy: str
) -> None:
    tell(server, told)
    refused = run_to_end([*CROUPIER, command], REDIS_URL=server.url)
    [line] = refused.stderr.splitlines()
    assert (refused.returncode, refused.stdout) == (1, "")
    assert line.startswith(f"croupier: Redis at unix://{server.socket} cannot keep games: ")
    assert remedy in line


@pytest.mark.long
@pytest.mark.parametrize("command", WORKERS, ids=lambda command: str(command[-1]))
def test_a_worker_that_is_started_alone_refuses_too(server: RedisServer, command: list[str]) -> None:
    tell(server, FORGET)
    refused = run_to_end(command, REDIS_URL=server.url)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "cannot keep games" in refused.stderr


@pytest.mark.long
@pytest.mark.parametrize("command", [run.API, GUNICORN], ids=["our settings", "none"])
def test_gunicorn_that_is_started_alone_gives_up_without_a_traceback(
    server: RedisServer, command: list[str]
) -> None:
    tell(server, FORGET)
    refused = run_to_end(command, REDIS_URL=server.url, API_WORKERS="1")
    assert refused.returncode not in (0, None)
    assert refused.stderr.count("cannot keep games") == 1
    assert "Traceback" not in refused.stderr


@pytest.mark.long
@pytest.mark.parametrize("command", [*([*CROUPIER, task] for task in ("run", "serve", "rebuild")), run.API])
def test_a_malformed_address_is_refused_in_one_line(command: list[str]) -> None:
    refused = run_to_end(command, REDIS_URL="http://127.0.0.1")
    assert refused.returncode == 1
    assert refused.stderr.startswith("croupier: REDIS_URL must be redis://")
    assert len(refused.stderr.splitlines()) == 1


def test_a_redis_that_stays_away_is_waited_for_and_then_refused(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"redis://anna:secret@127.0.0.1:{free_port()}/0"
    with pytest.raises(Misconfigured, match="no Redis at") as refusal:
        await_redis(url, seconds=0.3)
    told = capsys.readouterr().err
    assert told.count("waiting up to") == 1
    assert "secret" not in told + str(refusal.value)


@pytest.mark.long
def test_a_redis_that_comes_in_time_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = RedisServer(tmp_path, BINARY)
    with ThreadPoolExecutor() as waiting:
        taken = waiting.submit(await_redis, server.url, PATIENCE)
        wait_until(lambda: "waiting up to" in capsys.readouterr().err, "the first look")
        assert not taken.done()
        with server:
            taken.result(PATIENCE)


def test_a_redis_that_does_not_let_us_in_is_not_waited_for(server: RedisServer) -> None:
    stranger = server.url.replace(server.password, "guess")
    with pytest.raises(Misconfigured, match="does not let us in"):
        await_redis(stranger)
    tell(server, "ACL SETUSER default -info")
    with pytest.raises(Misconfigured, match="does not describe itself"):
        await_redis(server.url)


def test_an_unknown_option_of_the_address_is_refused(server: RedisServer) -> None:
    with pytest.raises(Misconfigured, match="check its options"):
        await_redis(f"{server.url}&sockets=3")


def test_the_parts_of_the_service_wait_for_redis_as_they_work() -> None:
    url = f"redis://127.0.0.1:{free_port()}"
    with connect(url) as client:
        check_redis(client, url)


def test_a_port_in_use_is_refused_by_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Misconfigured, match=f"127.0.0.1:{port} is in use"):
            await_free_port(Settings(port=port), timeout=0)
    await_free_port(Settings(port=port))


@pytest.mark.long
def test_a_start_that_is_refused_for_its_port_leaves_no_folder(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = run_to_end([*CROUPIER, "run"], DATA_DIR=str(tmp_path / "data"), PORT=port, REDIS_URL="")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"127.0.0.1:{port} is in use" in refused.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.long
@pytest.mark.parametrize("folder", ["/proc/croupier", "/dev/null"])
def test_a_folder_that_cannot_be_is_refused_with_the_name_of_its_setting(folder: str) -> None:
    refused = run_to_end([*CROUPIER, "run"], DATA_DIR=folder, REDIS_URL="")
    [line] = refused.stderr.splitlines()
    assert refused.returncode == 1
    assert line.startswith(f"croupier: games cannot be kept in {folder}")
    assert "choose another DATA_DIR" in line


@pytest.mark.long
@pytest.mark.parametrize("host", ["nonsense.invalid", "192.0.2.1"])
def test_a_host_that_is_not_here_is_named_as_the_cause(host: str) -> None:
    with pytest.raises(Misconfigured, match=f"^HOST {host} is no address of this machine"):
        await_free_port(Settings(host=host))


def test_serving_alone_is_refused_where_it_cannot_listen(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REDIS_URL", server.url)
    monkeypatch.setenv("HOST", "nonsense.invalid")
    assert cli.main(["serve"]) == 1
    assert "HOST nonsense.invalid" in capsys.readouterr().err


@pytest.mark.long
def test_a_service_without_workers_says_what_that_means_and_where_it_is_open(tmp_path: Path) -> None:
    log = tmp_path / "data.log"
    with run_service(tmp_path / "data", WORKERS="0") as (base, _):
        wait_until(lambda: f"Croupier is open at {base}/\n" in log.read_text(), "the announcement")
    assert log.read_text().count("WORKERS is 0: bots do not move") == 1
    assert log.read_text().count("Croupier is open") == 1


@pytest.mark.long
def test_run_prints_its_address_and_stays_quiet_at_the_default_log_level(tmp_path: Path) -> None:
    log = tmp_path / "data.log"
    with run_service(tmp_path / "data", LOG_LEVEL="info") as (base, _):
        wait_until(lambda: log.read_text() != "", "the announcement")
        service = HttpService(base)
        assert service.call("GET", "/").status == 200
        assert service.call("GET", "/v1/games").status == 200
    assert log.read_text() == f"Croupier is open at {base}/\n"
