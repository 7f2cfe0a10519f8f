"""The service over HTTP, on a Redis in this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import fakeredis
import redis
from flask import Flask

from service.api.app import DOORBELL, create_app
from service.config import Settings
from tests.service.contract import CheckedClient
from tests.service.fit import FIT


@contextmanager
def opened(memory: redis.Redis) -> Iterator[Flask]:
    app = create_app(Settings(), memory, lambda: FIT)
    app.test_client_class = CheckedClient
    yield app
    app.extensions[DOORBELL].close()


@contextmanager
def twin(memory: redis.Redis) -> Iterator[Flask]:
    """Another house with the same games, seeds and tokens; from here on each goes its own way."""
    with fakeredis.FakeRedis() as copy:
        for key in cast(list[bytes], memory.keys()):
            copy.restore(key, 0, cast(bytes, memory.dump(key)))
        with opened(copy) as app:
            yield app
