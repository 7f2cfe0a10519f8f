"""What the operations work with."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from events.redis_inspection import Inspection
from service.api.addresses import Proxies
from service.api.game_quota import GameQuota
from service.api.my_streams import MyStreams
from service.api.rate_limits import RateLimits
from service.api.streams import Streams
from service.backlog import Lag
from service.lobby.lobby import Lobby
from service.nudges import Nudges
from service.outages import OutageLog
from service.play.creators import Creators
from service.play.games import Games
from service.players.journal import Journal
from service.players.kept_requests import KeptRequests
from service.players.names import Names
from service.players.partings import Partings
from service.players.player_changes import PlayerChanges
from service.players.players import Players
from service.players.reading import PlayerReading
from service.players.tickets import Tickets
from service.stats.stats import Stats
from service.tasks.tasks import Tasks


class Services(Struct, frozen=True):
    """`inspect` says what is known of the server that keeps the games, `contract` is openapi.yaml.

    `outages` are told to the log, once each; `lags` says how far each process is behind;
    `proxies` are those whose word counts, `limits` how often one may call,
    `game_quota` how many games one may have open, `tasks` what workers think about,
    `partings` the seats of who was erased.
    """

    games: Games
    creators: Creators
    nudges: Nudges
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
    lags: Callable[[], list[Lag]]
    proxies: Proxies
    limits: RateLimits
    game_quota: GameQuota
    tasks: Tasks
    stats: Stats
    journal: Journal
    player_changes: PlayerChanges
    partings: Partings
    kept_requests: KeptRequests
