"""What a test of the service needs: a log, a Redis in this process, the application, a client."""

from collections.abc import Iterator
from io import BytesIO

import pytest
import redis
from flask import Flask

from events.redis_store import RedisStore
from events.store import MemoryStore, Store
from tests.support.api_client import ApiClient
from tests.support.app import Open, capture_log, open_app, open_limited_apps, open_memory


@pytest.fixture
def log() -> Iterator[BytesIO]:
    with capture_log() as stream:
        yield stream


@pytest.fixture
def memory() -> Iterator[redis.Redis]:
    with open_memory() as client:
        yield client


@pytest.fixture
def app(memory: redis.Redis, log: BytesIO) -> Iterator[Flask]:
    with open_app(memory) as app:
        yield app


@pytest.fixture
def api(app: Flask) -> ApiClient:
    return ApiClient(app.test_client())


@pytest.fixture
def open_limited(memory: redis.Redis, log: BytesIO) -> Iterator[Open]:
    with open_limited_apps(memory) as open_app:
        yield open_app


@pytest.fixture(params=["memory", "redis"])
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    with open_memory() as client:
        yield RedisStore(client)
