"""The application on a Redis in this process, with limits and with its log."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import cache
from io import BytesIO
from pathlib import Path
from threading import enumerate as enumerate_threads
from typing import cast

import redis
import structlog
from fakeredis import FakeRedis, FakeServer
from flask import Flask
from msgspec.structs import replace

from events.archive import Archive
from events.inspection import Inspection, RedisFound
from events.objects import open_objects
from events.redis import connect
from service import logs
from service.config import UNLIMITED, LimitSettings, Settings
from service.http.app import DOORBELL, attach_services, build_services, create_app
from service.http.errors import UNKNOWN_GAME_SECONDS
from tests.support.api_client import ApiClient
from tests.support.bots import open_worker
from tests.support.contract import CheckedClient
from tests.support.games import make_served_games
from tests.support.waiting import wait_until


def open_memory() -> FakeRedis:
    """On a server of its own, gone with its clients: one that FakeRedis starts by itself is kept for ever."""
    client = FakeRedis(server=FakeServer())
    # The first connection makes the database, without a lock: of two threads each would have one.
    client.ping()
    return client


# How a server that keeps games describes itself; the one in memory describes nothing.
HEALTHY_REDIS = Inspection(RedisFound("redis", "7.4.1", True, "noeviction", "master", "always"))


# Tests call more often than any caller.
UNLIMITED_SERVICE = Settings(
    limits=UNLIMITED,
    security_contact="mailto:security@example.org",
    # Where there is no key: a service that was run in this folder has left one.
    signing_key=Path(os.devnull) / "signing-key.json",
)


@cache
def _set_up_routes() -> Flask:
    """An application without games: its routes take longer to set up than most tests to run."""
    app = create_app(UNLIMITED_SERVICE, open_memory(), lambda: HEALTHY_REDIS)
    app.test_client_class = CheckedClient
    # Thousands of tests ask for games that are hidden.
    app.config[UNKNOWN_GAME_SECONDS] = 0
    return app


@contextmanager
def open_app(memory: redis.Redis, archive_url: str = "") -> Iterator[Flask]:
    """The service on this memory. It shares its routes and hooks with the other tests: they add none."""
    app = copy(_set_up_routes())
    app.extensions = {}
    settings = replace(UNLIMITED_SERVICE, archive_url=archive_url)
    archive = Archive(open_objects(archive_url)) if archive_url else None
    games = make_served_games(memory, archive=archive)
    attach_services(app, build_services(settings, memory, lambda: HEALTHY_REDIS, games))
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
    with open_memory() as other:
        for key in cast(list[bytes], memory.keys()):
            other.restore(key, 0, cast(bytes, memory.dump(key)))
        with open_worker(other), open_app(other) as app:
            yield app


ANNA, EVE = "192.0.2.1", "192.0.2.2"
Open = Callable[..., Flask]


@contextmanager
def open_limited_apps(memory: redis.Redis) -> Iterator[Open]:
    """As many as are asked for, each with limits of its own."""
    with ExitStack() as stack:

        def open_app(proxies: str = "", **limits: str | int) -> Flask:
            known = LimitSettings(**limits)  # type: ignore[arg-type]
            settings = Settings(api_workers=1, trusted_proxies=proxies, limits=known)
            app = create_app(settings, memory, lambda: HEALTHY_REDIS)
            app.test_client_class = CheckedClient
            stack.callback(app.extensions[DOORBELL].close)
            return app

        yield open_app


def client_at(app: Flask, address: str) -> ApiClient:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return ApiClient(client)


@contextmanager
def capture_log() -> Iterator[BytesIO]:
    """One JSON line a record."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = BytesIO()
    logs.configure("debug", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
