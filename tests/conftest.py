"""Fixtures for every suite: a real server, a clean client to it, a server to spoil, and a whole service."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from service.ops.embedded_server import RedisServer
from tests.support.running_service import RunningService, open_running

# A busy machine is no fault of an example. In CI every run tries the same ones: red is about the change.
settings.register_profile(
    "croupier",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("croupier")


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
