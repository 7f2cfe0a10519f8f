"""Fixtures for every suite: a real server, a clean client to it, a server to spoil, and a whole service.

This is the one place that skips tests: those that need a program that this machine does not have.
"""

import gc
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import settings

from service.ops.redis_server import RedisServer
from tests.support.profiles import SHORT
from tests.support.programs import BROWSER, IN_CI, find_program
from tests.support.service_process import RunningService, open_running

MISSING = "needs a program that is missing: "

settings.load_profile(SHORT)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return three processes for two cores: many tests wait for a process that they started."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + cores // 2


def pytest_collection_finish() -> None:
    """Take what was imported and collected out of every later garbage collection."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose mark `needs` names a program that is missing."""
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            require_program(name)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a browser; a test that uses it is skipped where there is none."""
    return require_program(BROWSER)


def require_program(name: str) -> str:
    path = find_program(name)
    if path is not None:
        return path
    if IN_CI:
        pytest.fail(f"{MISSING}{name}; with CI=true no test is skipped")
    pytest.skip(f"{MISSING}{name}")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Say at the very end what was not tested."""
    terminal: pytest.TerminalReporter | None = config.pluginmanager.getplugin("terminalreporter")
    if terminal is None:
        return
    skipped = Counter(_missing_program(report) for report in terminal.stats.get("skipped", ()))
    told = ", ".join(f"{number} for want of {name}" for name, number in skipped.items())
    if told:
        terminal.write_line(f"NOT TESTED HERE: tests were skipped, {told}.", red=True, bold=True)


def _missing_program(report: pytest.TestReport) -> str:
    """Return the name of the program that a skipped test needs."""
    assert isinstance(report.longrepr, tuple)
    return report.longrepr[2].partition(MISSING)[2]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """CROUPIER_REDIS_SERVER=/usr/bin/redis-server runs the suite against that server."""
    folder = tmp_path_factory.mktemp("redis")
    with RedisServer(folder, os.environ.get("CROUPIER_REDIS_SERVER")) as server:
        yield server


@pytest.fixture
def real_redis(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
        yield client


@pytest.fixture
def spare_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A server of the test's own, to be killed and misconfigured."""
    with RedisServer(tmp_path, os.environ.get("CROUPIER_REDIS_SERVER")) as server:
        yield server


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """Starting takes seconds: whoever neither stops nor limits it and plays games of their own shares it."""
    with open_running(tmp_path_factory.mktemp("service") / "data") as running:
        yield running
