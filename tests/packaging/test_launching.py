import os
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from service import cli
from service.config import Settings
from service.ops import run
from service.ops.redis_server import RedisServer
from tests.support.service_process import CROUPIER, free_port
from tests.support.waiting import PATIENCE


def test_it_starts_an_api_a_projector_a_reconciler_and_as_many_workers_as_asked() -> None:
    names = [child.name for child in run.children(Settings(workers=3), {})]
    assert names == ["api", "projector", "reconciler", "webhooks", "worker-1", "worker-2", "worker-3"]


def test_nobody_answers_where_nobody_listens() -> None:
    assert not run.is_answering(Settings(port=free_port()))


@contextmanager
def answer_once(reply: bytes) -> Iterator[int]:
    """A server that says this to whoever comes first; its port."""
    with socket.create_server(("127.0.0.1", 0)) as door, ThreadPoolExecutor() as pool:

        def answer() -> None:
            connection, _ = door.accept()
            with connection:
                assert connection.recv(1024).startswith(b"GET /livez ")
                connection.sendall(reply)

        served = pool.submit(answer)
        yield door.getsockname()[1]
        served.result()


@pytest.mark.parametrize(
    ("reply", "answering"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", True),
        (b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", False),
        (b"SSH-2.0-nobody\r\n", False),
    ],
    ids=["ours", "not yet", "somebody else"],
)
def test_the_service_is_open_when_its_api_says_that_it_lives(reply: bytes, answering: bool) -> None:
    with answer_once(reply) as port:
        assert run.is_answering(Settings(port=port)) is answering


def test_a_second_service_over_the_same_folder_is_refused_with_a_reason(tmp_path: Path) -> None:
    with RedisServer(tmp_path, os.environ.get("CROUPIER_REDIS_SERVER")):
        second = subprocess.run(
            [*CROUPIER, "run"],
            env={**os.environ, "DATA_DIR": str(tmp_path), "REDIS_URL": ""},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    assert second.returncode == 1
    assert second.stderr.startswith(f"croupier: {tmp_path}")
    assert "choose another DATA_DIR" in second.stderr


def test_serving_alone_needs_a_redis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REDIS_URL", "")
    assert cli.main(["serve"]) == 1
    assert "no Redis to serve from" in capsys.readouterr().err
