"""Puts the service together; the only place that knows which adapters it runs on."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask
from redis import Redis

from events.redis_client import connect
from events.redis_inspection import Inspection, inspect_server
from events.redis_store import RedisStore
from service import logs
from service.api import errors
from service.api.doorbell import Doorbell
from service.api.envelope import Envelope
from service.api.openapi import render_contract
from service.api.operations import OPERATIONS
from service.api.routes import add_route
from service.api.services import Services
from service.api.streams import Streams
from service.config import Misconfigured, Settings
from service.lobby.lobby import Lobby
from service.ops.preflight import refuse_unfit
from service.play.games import Games

DOORBELL = "doorbell"


def create_app(
    settings: Settings, client: Redis | None = None, inspect: Callable[[], Inspection] | None = None
) -> Flask:
    """`inspect` says what is known of the server that keeps the games; asked by /readyz."""
    redis = client or _connect(settings)
    games, doorbell = Games(RedisStore(redis)), Doorbell(redis)
    inspect = inspect or (lambda: inspect_server(redis))
    services = Services(games, Lobby(redis), Streams(games, doorbell), inspect, render_contract)
    app = Flask("service", static_folder=None)
    app.url_map.merge_slashes = False
    app.extensions[DOORBELL] = doorbell
    for operation in OPERATIONS:
        add_route(app, operation, services)
    errors.register_handlers(app)
    app.wsgi_app = Envelope(app.wsgi_app, logs.logger().bind())  # type: ignore[method-assign]
    return app


def _connect(settings: Settings) -> Redis:
    if settings.redis_url is None:
        raise Misconfigured("REDIS_URL is not set; `croupier run` starts a Redis of its own")
    client = connect(settings.redis_url)
    refuse_unfit(client, settings.redis_url)
    return client
