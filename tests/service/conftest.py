"""The service over HTTP, on a Redis in this process."""

import logging
from collections.abc import Iterator
from io import BytesIO

import fakeredis
import pytest
import redis
import structlog
from flask import Flask

from service import logs
from service.bootstrap import DOORBELL, create_app
from service.config import Settings
from tests.service.contract import CheckedClient
from tests.service.guests import Guest


@pytest.fixture
def log() -> Iterator[BytesIO]:
    """Everything that is logged, one JSON line a record."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = BytesIO()
    logs.configure("info", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def memory() -> Iterator[redis.Redis]:
    with fakeredis.FakeRedis() as client:
        yield client


@pytest.fixture
def app(memory: redis.Redis, log: BytesIO) -> Iterator[Flask]:
    app = create_app(Settings(), memory, faults=list)
    app.test_client_class = CheckedClient
    yield app
    app.extensions[DOORBELL].close()


@pytest.fixture
def guest(app: Flask) -> Guest:
    return Guest(app.test_client())
