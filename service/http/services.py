"""The objects that operations use."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from structlog.typing import FilteringBoundLogger

from events.inspection import Inspection
from service.analysis.tasks import Tasks
from service.games.creators import Creators
from service.games.games import Games
from service.games.idempotency import StoredResults
from service.history.audits import Auditor
from service.history.export import GameFiles
from service.history.import_tasks import ImportTasks
from service.history.imports import Namesakes
from service.http.limits import GameQuota, RateLimits
from service.http.streaming import MyStreams, Streams
from service.incidents import OutageLog
from service.lobby.lobby import Lobby
from service.ops.health import Lag
from service.ops.room import Room
from service.players.erasure import Erasure
from service.players.feed import PlayerFeed, PlayerReading
from service.players.names import Names
from service.players.players import PlayerChanges, Players
from service.players.tickets import Tickets
from service.stats.counts import Stats
from service.steady_clock import SteadyClock

# The key of the services in `app.extensions`.
SERVICES = "services"


class Services(Struct, frozen=True, kw_only=True):
    """`inspect` returns the state of Redis, `contract` the text of openapi.yaml.

    `lags` returns how far each process is behind. `outages` logs each outage once. `clock` tells the time.
    `limits` counts requests, `game_quota` open games. `tasks` are what workers compute for callers,
    `import_tasks` what this process verifies in the background, `namesakes` imports with one id. `erasure`
    empties the seats of erased players. `log` gets a line for each request.
    """

    games: Games
    files: GameFiles
    auditor: Auditor
    creators: Creators
    lobby: Lobby
    players: Players
    names: Names
    player_reading: PlayerReading
    tickets: Tickets
    streams: Streams
    my_streams: MyStreams
    inspect: Callable[[], Inspection]
    contract: Callable[[], bytes]
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
    log: FilteringBoundLogger
