"""Builds the store, games, lobby and queue that every process uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct
from redis import Redis

from events.archive import Archive
from events.objects import open_objects
from events.redis import connect, is_well_formed
from events.redis_store import RedisStore
from service.analysis.tasks import Tasks
from service.config import Misconfigured, Settings
from service.feeds.journals import KeyFeed, PublicFeed
from service.feeds.reading import Feeds as FeedReader
from service.games.deadlines import DEFAULT_TIME_LIMITS, TimeLimits
from service.games.games import Games
from service.history.archiving import Archiver
from service.history.audits import Auditor
from service.history.export import GameFiles
from service.history.imports import Namesakes
from service.keys.keys import ApiKeys
from service.keys.signing import SigningKeys
from service.lobby.archived_games import ArchivedGames
from service.lobby.due_index import DueIndex
from service.lobby.lobby import Lobby
from service.lobby.open_games import OpenGames
from service.ops.preflight import check_redis
from service.players.erasure import Erasure
from service.players.feed import PlayerFeed
from service.players.names import Names
from service.players.players import Players
from service.queue.fair_queue import FairQueue
from service.queue.scheduler import BotScheduler
from service.remote_bots.remote_bots import RemoteBots
from service.stats.counts import Stats
from service.steady_clock import SteadyClock
from service.webhooks.sources import Feeds
from service.webhooks.webhooks import Webhooks

# How long a process waits for a Redis that holds the queue and nothing else.
QUEUE_SECONDS = 1.0


class Backend(Struct, frozen=True):
    """Holds what every process uses. What is not derived is held by `store`, `players`, `api_keys`,
    `signing_keys` and `webhooks`.
    """

    redis: Redis
    clock: SteadyClock
    store: RedisStore
    games: Games
    lobby: Lobby
    due: DueIndex
    queue: FairQueue
    scheduler: BotScheduler
    api_keys: ApiKeys
    signing_keys: SigningKeys
    players: Players
    open_games: OpenGames
    feed: PlayerFeed
    key_feed: KeyFeed
    public_feed: PublicFeed
    tasks: Tasks
    stats: Stats
    erasure: Erasure
    files: GameFiles
    auditor: Auditor
    namesakes: Namesakes
    archived: ArchivedGames
    remote_bots: RemoteBots
    webhooks: Webhooks
    webhook_feeds: Feeds
    archiver: Archiver | None = None
    time_limits: TimeLimits = DEFAULT_TIME_LIMITS


def build_backend(
    client: Redis,
    time_limits: TimeLimits = DEFAULT_TIME_LIMITS,
    games: Games | None = None,
    clock: SteadyClock | None = None,
    archive: Archive | None = None,
    queue_client: Redis | None = None,
    signing_key: Path | None = None,
) -> Backend:
    """Build the backend over a client that `events.redis.connect` made; nothing is sent yet.

    `games` come with their own clock, seeds and ids; by default the real ones are used. Without an archive
    all games stay in Redis. `queue_client` is for the queue, where that has a Redis of its own. Games that
    end are signed with the key in the file `signing_key`, if there is one.
    """
    queue_client = queue_client or client
    clock = clock or SteadyClock(client, time_limits.hold_seconds)
    store = RedisStore(client, archive=archive)
    queue = FairQueue(queue_client, clock.timestamp)
    games = games or Games(store, clock)
    scheduler = BotScheduler(queue_client, queue, games.creator_of)
    games.on_bots_due(scheduler.notify)
    signing_keys = SigningKeys(client, signing_key, clock)
    games.sign_with(signing_keys.sign)
    lobby = Lobby(client, store)
    stats = Stats(client, games)
    players = Players(client, clock, time_limits.player_hours)
    feed = PlayerFeed(client, store)
    key_feed = KeyFeed(client, store, players, games.api_key_of)
    public_feed = PublicFeed(client, store)
    archiver = None
    if archive is not None:
        archiver = Archiver(
            store,
            games.snapshots,
            archive,
            lobby=lobby,
            stats=stats,
            feed=feed,
            key_feed=key_feed,
            public_feed=public_feed,
        )
    return Backend(
        redis=client,
        clock=clock,
        store=store,
        games=games,
        lobby=lobby,
        due=DueIndex(client, time_limits),
        queue=queue,
        scheduler=scheduler,
        api_keys=ApiKeys(client, clock),
        signing_keys=signing_keys,
        players=players,
        open_games=OpenGames(client, clock.timestamp),
        feed=feed,
        key_feed=key_feed,
        public_feed=public_feed,
        tasks=Tasks(client, queue, scheduler.call_worker, clock.timestamp),
        stats=stats,
        erasure=Erasure(client, games),
        files=GameFiles(games),
        auditor=Auditor(games),
        namesakes=Namesakes(client, store),
        archived=ArchivedGames(client),
        remote_bots=RemoteBots(client),
        webhooks=Webhooks(client, store.secret, clock),
        webhook_feeds=Feeds(FeedReader(client, games, Names(client))),
        archiver=archiver,
        time_limits=time_limits,
    )


@contextmanager
def open_backend(url: str, time_limits: TimeLimits = DEFAULT_TIME_LIMITS) -> Iterator[Backend]:
    """Yield a backend on that Redis, with the archive and the queue of the settings.

    Its connections are closed at the end.
    """
    with ExitStack() as stack:
        client = stack.enter_context(connect(url, replicas=read_durability()))
        queue_url = read_queue_url()
        queue_client = stack.enter_context(connect_to_queue(queue_url)) if queue_url else client
        yield build_backend(
            client,
            time_limits,
            archive=read_archive(),
            queue_client=queue_client,
            signing_key=Settings.from_env(os.environ).signing_key_path,
        )


def connect_to_queue(url: str) -> Redis:
    """Return a client of the Redis that holds the queue. Nothing waits long for it: it may be lost."""
    return connect(url, reply_seconds=QUEUE_SECONDS)


def read_queue_url() -> str | None:
    """Return where the settings of this process say that the queue is; None for the Redis of the games."""
    return Settings.from_env(os.environ).queue_url


def read_archive() -> Archive:
    """Return the archive that the settings of this process name."""
    return Archive(open_objects(Settings.from_env(os.environ).archive_place))


def read_time_limits() -> TimeLimits:
    """Return the time limits that the settings of this process name."""
    settings = Settings.from_env(os.environ)
    return time_limits_of(settings)


def read_durability() -> int:
    """Return how many replicas must have a write, by the settings of this process."""
    return Settings.from_env(os.environ).durable_replicas


def time_limits_of(settings: Settings) -> TimeLimits:
    """Return the time limits that these settings name."""
    return TimeLimits(
        settings.lobby_hours,
        settings.abandon_hours,
        hold_seconds=settings.clock_hold_seconds,
        player_hours=settings.player_hours,
        archive_hours=settings.archive_after,
    )


def connect_checked(settings: Settings) -> Redis:
    """Return a client of the configured Redis. Raises Misconfigured if it is away or would lose games."""
    if settings.redis_url is None:
        raise Misconfigured("REDIS_URL is not set; `croupier run` starts a Redis of its own")
    if settings.queue_url is not None and not is_well_formed(settings.queue_url):
        raise Misconfigured("QUEUE_URL is not understood by the Redis client: check its options")
    client = connect(settings.redis_url, replicas=settings.durable_replicas)
    check_redis(client, settings.redis_url, settings.trust_redis)
    return client
