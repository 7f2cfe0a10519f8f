"""Puts the API together over what the factory builds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Flask
from redis import Redis

from events.redis_client import connect
from events.redis_inspection import Inspection, inspect_server
from service import logs
from service.api.addresses import Proxies
from service.api.cross_origin import CROSS_ORIGIN, CrossOrigin
from service.api.doorbell import Doorbell
from service.api.envelope import Envelope
from service.api.game_quota import GameQuota
from service.api.my_streams import MyStreams
from service.api.openapi import render_contract
from service.api.operations import OPERATIONS
from service.api.rate_limits import RateLimits
from service.api.recent import Recent
from service.api.request_counts import RequestCounts
from service.api.routes import make_application
from service.api.services import Services
from service.api.stream_quota import open_stream_quota
from service.api.streams import Streams
from service.backlog import measure_lags
from service.config import Settings
from service.factory import build_backend, connect_checked
from service.ops.descriptors import measure_capacity
from service.outages import OutageLog
from service.play.creators import Creators
from service.players.kept_requests import KeptRequests
from service.players.names import Names
from service.players.player_changes import PlayerChanges
from service.players.reading import PlayerReading
from service.players.tickets import Tickets

DOORBELL = "doorbell"
# Whoever asks for health wants to know soon that there is no answer.
HEALTH_SECONDS, HEALTH_CONNECTIONS = 2.0, 4
# Nobody waits long to be counted.
COUNTING_SECONDS, COUNTING_CONNECTIONS = 0.25, 4


def create_app(
    settings: Settings, client: Redis | None = None, inspect: Callable[[], Inspection] | None = None
) -> Flask:
    """`inspect` says what is known of the server that keeps the games; asked by /readyz."""
    backend = build_backend(client or connect_checked(settings))
    quota = open_stream_quota(settings.limits.most_streams)
    doorbell = Doorbell(backend.redis, measure_capacity().streams, quota)
    outages = OutageLog(logs.logger())
    asking = client or connect(settings.redis_url or "", HEALTH_CONNECTIONS, HEALTH_SECONDS)
    inspect = Recent(partial(outages.watch, inspect or partial(inspect_server, asking)))
    lags = Recent(partial(measure_lags, asking))
    streams, reading = Streams(backend.games, doorbell), PlayerReading(backend.redis)
    proxies = Proxies(settings.trusted_proxies)
    counting = client or connect(settings.redis_url or "", COUNTING_CONNECTIONS, COUNTING_SECONDS)
    services = Services(
        backend.games,
        Creators(backend.redis),
        backend.nudges,
        backend.lobby,
        backend.players,
        Names(backend.redis),
        reading,
        Tickets(backend.redis),
        streams,
        MyStreams(reading, backend.players, doorbell),
        inspect,
        render_contract,
        outages,
        lags,
        proxies,
        RateLimits(settings.limits, RequestCounts(counting), proxies),
        GameQuota(settings.limits.most_games, backend.open_games, backend.games),
        backend.tasks,
        backend.stats,
        backend.journal,
        PlayerChanges(backend.redis, backend.players),
        backend.partings,
        KeptRequests(backend.redis),
    )
    app = make_application(OPERATIONS, services)
    app.extensions[DOORBELL] = doorbell
    cross_origin = CrossOrigin(app.wsgi_app, settings.cors_origins)
    app.extensions[CROSS_ORIGIN] = cross_origin
    app.wsgi_app = Envelope(cross_origin, logs.logger().bind())  # type: ignore[method-assign]
    return app
