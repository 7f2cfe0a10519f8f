"""What a test of the service needs: a log, a Redis in this process, the application, a guest."""

from collections.abc import Iterator
from io import BytesIO

import fakeredis
import pytest
import redis
from flask import Flask

from events.redis_store import RedisStore
from events.store import MemoryStore, Store
from tests.service.apps import opened
from tests.service.guests import Guest
from tests.service.logged import logged


@pytest.fixture
def log() -> Iterator[BytesIO]:
    with logged() as stream:
        yield stream


@pytest.fixture
def memory() -> Iterator[redis.Redis]:
    with fakeredis.FakeRedis() as client:
        yield client


@pytest.fixture
def app(memory: redis.Redis, log: BytesIO) -> Iterator[Flask]:
    with opened(memory) as app:
        yield app


@pytest.fixture
def guest(app: Flask) -> Guest:
    return Guest(app.test_client())


@pytest.fixture(params=["memory", "redis"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    with fakeredis.FakeRedis() as client:
        yield RedisStore(client)
