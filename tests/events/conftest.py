"""The three stores that one contract binds, and servers that a test may break."""

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest
import redis

from events.redis import connect
from events.redis_store import RedisStore
from events.store import PARTITIONS, MemoryStore, Store
from service.ops.redis_server import RedisServer
from tests.support.app import open_memory


def opened(kind: str, request: pytest.FixtureRequest) -> AbstractContextManager[redis.Redis]:
    """Lua on fakeredis, or the client of the service on a real server."""
    if kind == "fakeredis":
        return open_memory()
    request.getfixturevalue("real_redis")
    return connect(request.getfixturevalue("redis_server").url)


@pytest.fixture(params=["fakeredis", "real"])
def client(request: pytest.FixtureRequest) -> Iterator[redis.Redis]:
    with opened(request.param, request) as client:
        yield client


@pytest.fixture(params=["memory", "fakeredis", "real"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore(PARTITIONS)
        return
    with opened(request.param, request) as client:
        yield RedisStore(client)


@pytest.fixture
def spare_client(spare_redis: RedisServer) -> Iterator[redis.Redis]:
    with connect(spare_redis.url) as client:
        yield client
