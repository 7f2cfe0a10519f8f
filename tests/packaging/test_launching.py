import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service import cli
from service.config import Settings
from service.ops import launching as house
from service.ops.embedded_server import RedisServer
from tests.support.waiting import PATIENCE


def test_the_house_has_an_api_a_projector_a_reconciler_and_as_many_workers_as_asked() -> None:
    names = [child.name for child in house.children(Settings(workers=3), {})]
    assert names == ["api", "projector", "reconciler", "worker-1", "worker-2", "worker-3"]


def test_nobody_answers_before_the_house_is_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert not house.is_answering(Settings(port=port))


def test_a_second_house_over_the_same_folder_is_refused_with_a_reason(tmp_path: Path) -> None:
    with RedisServer(tmp_path, os.environ.get("CROUPIER_REDIS_SERVER")):
        second = subprocess.run(
            [sys.executable, "-c", "from service.cli import main; raise SystemExit(main())", "run"],
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
