"""The service with limits, and callers at addresses of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import redis
from flask import Flask

from service.config import LimitSettings, Settings
from service.http.app import DOORBELL, create_app
from tests.support.api_client import ApiClient
from tests.support.app import HEALTHY_REDIS
from tests.support.contract import CheckedClient

ANNA, EVE = "192.0.2.1", "192.0.2.2"
Open = Callable[..., Flask]


@contextmanager
def open_limited_apps(memory: redis.Redis) -> Iterator[Open]:
    """As many as are asked for, each with limits of its own."""
    with ExitStack() as stack:

        def open_app(proxies: str = "", **limits: str | int) -> Flask:
            settings = Settings(trusted_proxies=proxies, limits=LimitSettings(**limits))  # type: ignore[arg-type]
            app = create_app(settings, memory, lambda: HEALTHY_REDIS)
            app.test_client_class = CheckedClient
            stack.callback(app.extensions[DOORBELL].close)
            return app

        yield open_app


def client_at(app: Flask, address: str) -> ApiClient:
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    return ApiClient(client)
