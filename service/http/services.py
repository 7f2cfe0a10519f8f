"""The objects that operations use."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from structlog.typing import FilteringBoundLogger

from events.inspection import Inspection
from service.analysis.tasks import Tasks
from service.config import Access as KeyAccess
from service.feeds.reading import Feeds
from service.games.creators import Creators
from service.games.games import Games
from service.games.idempotency import StoredResults
from service.history.audits import Auditor
from service.history.export import GameFiles
from service.history.import_tasks import ImportTasks
from service.history.imports import Namesakes
from service.http.limits import GameQuota, RateLimits
from service.http.openapi.contract import Contract
from service.http.streaming import FeedStreams, MyStreams, Streams
from service.incidents import OutageLog
from service.keys.keys import ApiKeys
from service.keys.signing import SigningKeys
from service.lobby.lobby import Lobby
from service.ops.health import Lag
from service.ops.room import Room
from service.players.erasure import Erasure
from service.players.feed import PlayerFeed, PlayerReading
from service.players.names import Names
from service.players.players import PlayerChanges, Players
from service.players.tickets import Tickets
from service.remote_bots.erasure import BotErasure
from service.remote_bots.remote_bots import RemoteBots
from service.stats.counts import Stats
from service.steady_clock import SteadyClock
from service.webhooks.destinations import Destinations
from service.webhooks.outbox import Outbox
from service.webhooks.sources import Feeds as WebhookFeeds
from service.webhooks.webhooks import Webhooks

# The key of the services in `app.extensions`.
SERVICES = "services"


class Services(Struct, frozen=True, kw_only=True):
    """`inspect` returns the state of Redis, `contract` the document of the API.

    `lags` returns how far each process is behind. `outages` logs each outage once. `clock` tells the time.
    `access` says whether creating needs an API key. `limits` counts requests, `game_quota` open games.
    `tasks` are what workers compute for callers, `import_tasks` what this process verifies in the background,
    `namesakes` imports with one id. `erasure` empties the seats of erased players. `destinations` checks
    where webhooks may go. `security_contact` is the setting. `log` gets a line for each request.
    """

    games: Games
    files: GameFiles
    auditor: Auditor
    creators: Creators
    lobby: Lobby
    api_keys: ApiKeys
    access: KeyAccess
    signing_keys: SigningKeys
    players: Players
    names: Names
    player_reading: PlayerReading
    tickets: Tickets
    streams: Streams
    my_streams: MyStreams
    feeds: Feeds
    feed_streams: FeedStreams
    inspect: Callable[[], Inspection]
    contract: Callable[[], Contract]
    outages: OutageLog
    room: Room
    clock: SteadyClock
    lags: Callable[[], list[Lag]]
    limits: RateLimits
    game_quota: GameQuota
    tasks: Tasks
    import_tasks: ImportTasks
    namesakes: Namesakes
    stats: Stats
    feed: PlayerFeed
    player_changes: PlayerChanges
    erasure: Erasure
    stored_results: StoredResults
    remote_bots: RemoteBots
    bot_erasure: BotErasure
    webhooks: Webhooks
    outbox: Outbox
    webhook_feeds: WebhookFeeds
    destinations: Destinations
    security_contact: str
    log: FilteringBoundLogger
