"""Puts the service together; the only place that knows which adapters it runs on."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask
from redis import Redis

from events.redis_client import connect, durability, reaching
from events.redis_store import RedisStore
from events.store import Unavailable
from service import logs
from service.api import audit, bots, choices, docs, editions, errors, events, games, health, seats
from service.api.envelope import Envelope
from service.api.parts import EXTENSION, Parts, check_game_id
from service.config import Misconfigured, Settings
from service.doorbell import Doorbell
from service.feed import Feed
from service.games import Games
from service.lobby import Lobby

RESOURCES = (editions, games, seats, choices, events, audit, bots, health, docs)
DOORBELL = "doorbell"


def create_app(
    settings: Settings, client: Redis | None = None, faults: Callable[[], list[str]] | None = None
) -> Flask:
    """`faults` says what is wrong with the server that keeps the games; asked by /readyz."""
    redis = client or _connected(settings)
    games_, doorbell = Games(RedisStore(redis)), Doorbell(redis)
    app = Flask("service", static_folder=None)
    app.url_map.merge_slashes = False
    app.extensions[DOORBELL] = doorbell
    app.extensions[EXTENSION] = Parts(
        games_, Lobby(redis), Feed(games_, doorbell), faults or (lambda: durability(redis))
    )
    for resource in RESOURCES:
        app.register_blueprint(resource.blueprint)
    app.before_request(check_game_id)
    errors.register(app)
    app.wsgi_app = Envelope(app.wsgi_app, logs.logger().bind())  # type: ignore[method-assign]
    return app


def _connected(settings: Settings) -> Redis:
    if settings.redis_url is None:
        raise Misconfigured("REDIS_URL is not set; `croupier run` starts a Redis of its own")
    client = connect(settings.redis_url)
    _refuse_eviction(client)
    return client


def _refuse_eviction(client: Redis) -> None:
    """A server that evicts would lose games without a word; one that is away may come back."""
    try:
        with reaching():
            policy = client.info("memory").get("maxmemory_policy")
    except Unavailable:
        return
    if policy != "noeviction":
        raise Misconfigured(f"Redis evicts (maxmemory-policy {policy}): set it to noeviction")
