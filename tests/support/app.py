"""The service over HTTP, on a Redis in this process."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import enumerate as enumerate_threads
from typing import cast

import redis
from flask import Flask

from events.redis import Inspection, RedisFound, connect
from service.config import UNLIMITED, Settings
from service.http.app import DOORBELL, create_app
from tests.support.contract import CheckedClient
from tests.support.games import make_served_games
from tests.support.memory import open_memory
from tests.support.thinking_workers import open_worker
from tests.support.waiting import wait_until

# How a server that keeps games describes itself; the one in memory describes nothing.
HEALTHY_REDIS = Inspection(RedisFound("redis", "7.4.1", True, "noeviction", "master", "always"))


# Tests call more often than any caller.
UNLIMITED_SERVICE = Settings(limits=UNLIMITED)


@contextmanager
def open_app(memory: redis.Redis) -> Iterator[Flask]:
    app = create_app(UNLIMITED_SERVICE, memory, lambda: HEALTHY_REDIS, make_served_games(memory))
    app.test_client_class = CheckedClient
    yield app
    app.extensions[DOORBELL].close()


@contextmanager
def open_app_on(url: str) -> Iterator[Flask]:
    """The service on a real server; on the way out no thread and no connection is left."""
    with open_apps_on(url, 1) as (app,):
        yield app


@contextmanager
def open_apps_on(url: str, number: int) -> Iterator[list[Flask]]:
    """As many processes, as far as they remember things."""
    with ExitStack() as clients:
        made = []
        for process in range(number):
            client = clients.enter_context(connect(url))
            app = create_app(UNLIMITED_SERVICE, client, games=make_served_games(client, process))
            app.test_client_class = CheckedClient
            made.append(app)
        yield made
        for app in made:
            app.extensions[DOORBELL].close()
        wait_until(
            lambda: "doorbell" not in {thread.name for thread in enumerate_threads()}, "their threads' end"
        )


@contextmanager
def open_copy(memory: redis.Redis) -> Iterator[Flask]:
    """Another service with the same games, seeds and tokens; from here on each goes its own way."""
    with open_memory() as copy:
        for key in cast(list[bytes], memory.keys()):
            copy.restore(key, 0, cast(bytes, memory.dump(key)))
        with open_worker(copy), open_app(copy) as app:
            yield app
