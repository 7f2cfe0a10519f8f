"""The application factory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from flask import Flask
from redis import Redis

from events.archive import Archive
from events.inspection import Inspection, inspect_server, read_memory
from events.objects import open_objects
from events.redis import connect
from service import logs
from service.config import Settings
from service.container import build_backend, connect_checked, connect_to_queue, time_limits_of
from service.feeds.reading import Feeds
from service.games.creators import Creators
from service.games.games import Games
from service.games.idempotency import StoredResults
from service.history.import_tasks import ImportTasks
from service.http.addresses import Proxies, TrustedProxies
from service.http.application import Application
from service.http.cors import CrossOrigin
from service.http.doorbell import Doorbell
from service.http.errors import UNKNOWN_GAME_SECONDS, register_error_handlers
from service.http.hooks import register_hooks
from service.http.limits import GameQuota, RateLimits, RequestCounts, StreamQuota
from service.http.openapi.document import render_contract
from service.http.register import OPERATIONS_BY_ROOM
from service.http.responses import Recent
from service.http.sentences import CommitTeller
from service.http.services import SERVICES, Services
from service.http.streaming import FeedStreams, MyStreams, Streams
from service.http.views import make_blueprint
from service.incidents import OutageLog
from service.ops.health import QueueWatch, measure_lags
from service.ops.processes import measure_capacity
from service.ops.room import Room
from service.players.feed import PlayerReading
from service.players.names import Names
from service.players.players import PlayerChanges
from service.players.tickets import Tickets
from service.remote_bots.erasure import BotErasure
from service.remote_bots.remote_bots import MOST_OF_OWNER, RemoteBots
from service.steady_clock import SteadyClock
from service.webhooks.destinations import Destinations, TimedResolver, read_networks
from service.webhooks.outbox import Outbox
from service.webhooks.webhooks import MOST_OF_KEY, MOST_OF_PLAYER, Webhooks

DOORBELL = "doorbell"
# A health check must learn soon that Redis does not answer.
HEALTH_SECONDS = 2.0
HEALTH_CONNECTIONS = 4
# A request must not wait long to be counted.
COUNTING_SECONDS = 0.25
COUNTING_CONNECTIONS = 4
# To find out that a game is not there, or is hidden from the caller, takes one to five milliseconds.
LONGEST_LOOKUP_SECONDS = 0.02
BLUEPRINTS = tuple(make_blueprint(room, operations) for room, operations in OPERATIONS_BY_ROOM.items())


def create_app(
    settings: Settings | None = None,
    client: Redis | None = None,
    inspect: Callable[[], Inspection] | None = None,
    games: Games | None = None,
) -> Flask:
    """Return the application.

    `client` is the Redis to use instead of the one that the settings name. `inspect` returns the state of
    that Redis for /readyz. `games` come with their own clock, seeds and ids; by default the real ones are
    used. Raises Misconfigured when there is no Redis or one that would lose games.
    """
    settings = settings or Settings()
    services = build_services(settings, client, inspect, games)
    app = Application("service")
    app.config[UNKNOWN_GAME_SECONDS] = LONGEST_LOOKUP_SECONDS
    attach_services(app, services)
    register_hooks(app)
    register_error_handlers(app)
    CrossOrigin(settings.cors_origins).init_app(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    if settings.trusted_proxies:
        app.wsgi_app = TrustedProxies(app.wsgi_app, Proxies(settings.trusted_proxies))  # type: ignore[method-assign]
    return app


def attach_services(app: Flask, services: Services) -> None:
    """Let the views and hooks of the application find these services."""
    app.extensions[SERVICES] = services
    app.extensions[DOORBELL] = services.streams.doorbell


def build_services(
    settings: Settings,
    client: Redis | None = None,
    inspect: Callable[[], Inspection] | None = None,
    games: Games | None = None,
) -> Services:
    """Build what the operations use. Raises Misconfigured."""
    url = settings.redis_url or ""
    writing_client = client or connect_checked(settings)
    health_client = client or connect(
        url, HEALTH_CONNECTIONS, HEALTH_SECONDS, replicas=settings.durable_replicas
    )
    # Every request asks for the time: this must not wait long.
    clock_client = client or connect(url, COUNTING_CONNECTIONS, COUNTING_SECONDS)
    clock = SteadyClock(clock_client, settings.clock_hold_seconds)
    queue_client = None
    counting_client = clock_client
    if settings.queue_url:
        queue_client = connect_to_queue(settings.queue_url)
        counting_client = connect(settings.queue_url, COUNTING_CONNECTIONS, COUNTING_SECONDS)
    archive = Archive(open_objects(settings.archive_place))
    backend = build_backend(
        writing_client,
        time_limits_of(settings),
        games=games,
        clock=clock,
        archive=archive,
        queue_client=queue_client,
        signing_key=settings.signing_key_path,
    )
    outages = OutageLog(logs.logger())
    quota = StreamQuota(
        settings.limits.max_open_streams, settings.api_workers, backend.api_keys.count_streams
    )
    doorbell = Doorbell(backend.redis, measure_capacity().streams, quota)
    player_reading = PlayerReading(backend.redis, backend.store)
    names = Names(backend.redis)
    stored_results = StoredResults(backend.redis)
    import_tasks = ImportTasks(
        backend.redis,
        backend.tasks,
        backend.files.imports,
        stored_results=stored_results,
        games=backend.games,
        lobby=backend.lobby,
        namesakes=backend.namesakes,
        clock=backend.clock.timestamp,
    )
    inspect = inspect or partial(inspect_server, health_client, settings.trust_redis)
    room = Room(Recent(partial(read_memory, health_client)), backend.open_games)
    is_limited = settings.limits.enabled
    webhooks = Webhooks(
        backend.redis,
        backend.store.secret,
        clock,
        most_of_player=MOST_OF_PLAYER if is_limited else 0,
        most_of_key=MOST_OF_KEY if is_limited else 0,
    )
    remote_bots = RemoteBots(backend.redis, MOST_OF_OWNER if is_limited else 0)
    player_changes = PlayerChanges(backend.redis, backend.players)
    return Services(
        games=backend.games,
        files=backend.files,
        auditor=backend.auditor,
        creators=Creators(backend.redis),
        lobby=backend.lobby,
        api_keys=backend.api_keys,
        access=settings.access,
        signing_keys=backend.signing_keys,
        players=backend.players,
        names=names,
        player_reading=player_reading,
        tickets=Tickets(backend.redis, clock),
        streams=Streams(backend.games, doorbell, CommitTeller(backend.games, names)),
        my_streams=MyStreams(player_reading, backend.players, doorbell),
        feeds=Feeds(backend.redis, backend.games, names),
        feed_streams=FeedStreams(doorbell),
        inspect=Recent(partial(outages.watch, inspect)),
        room=room,
        contract=render_contract,
        outages=outages,
        clock=clock,
        lags=Recent(partial(measure_lags, health_client, clock, QueueWatch(queue_client or health_client))),
        limits=RateLimits(settings.limits, RequestCounts(counting_client, clock.timestamp)),
        game_quota=GameQuota(settings.limits, backend.open_games, backend.games, room),
        tasks=backend.tasks,
        import_tasks=import_tasks,
        namesakes=backend.namesakes,
        stats=backend.stats,
        feed=backend.feed,
        player_changes=player_changes,
        erasure=backend.erasure,
        stored_results=stored_results,
        remote_bots=remote_bots,
        bot_erasure=BotErasure(remote_bots, backend.players, player_changes, backend.erasure, webhooks),
        webhooks=webhooks,
        outbox=Outbox(backend.redis),
        webhook_feeds=backend.webhook_feeds,
        destinations=Destinations(read_networks(settings.webhook_networks), TimedResolver()),
        security_contact=settings.security_contact,
        # Bound here: binding for each request costs more than the line.
        log=logs.logger().bind(),
    )
