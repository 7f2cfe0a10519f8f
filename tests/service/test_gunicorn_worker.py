"""Faults that come to gunicorn's worker and not to Flask."""

import http.client
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from service.ops import launching
from tests.support.service_process import free_port, is_up
from tests.support.waiting import PATIENCE, wait_until


class Serving(NamedTuple):
    port: int
    log: Path


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Our settings and our worker around an application that fails."""
    port, log = free_port(), tmp_path_factory.mktemp("gunicorn") / "log"
    environ = {**os.environ, "PORT": str(port), "API_WORKERS": "1", "LOG_LEVEL": "warning"}
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [*launching.API, "tests.support.failing_app:app"], env=environ, stderr=stderr
        )
    try:
        wait_until(lambda: is_up(f"http://127.0.0.1:{port}/"), "gunicorn serving")
        yield Serving(port, log)
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.parametrize(
    ("path", "fault"),
    [("/raise", "RuntimeError: the application failed"), ("/header", "InvalidResponseHeader")],
)
def test_what_fails_in_the_application_is_answered_with_500_and_reported(
    failing: Serving, path: str, fault: str
) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", failing.port, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        assert connection.getresponse().status == 500
    reports = [json.loads(line) for line in failing.log.read_text().splitlines()]
    assert [report["level"] for report in reports if fault in report.get("exception", "")] == ["error"]
    assert not any("unreadable" in report["event"] for report in reports)
