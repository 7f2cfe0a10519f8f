"""Private games, found by the code that somebody was told."""

from __future__ import annotations

from msgspec import Struct

from events.values import GameId
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.rate_limits import SITTING
from service.api.replies import Reply
from service.api.seat_schemas import FindGame
from service.play.table_types import TableShown
from service.play.tables import render_snapshot


class FoundReply(Struct, frozen=True):
    """Where to sit down with the same code, and the table as a spectator sees it."""

    id: GameId
    table: TableShown


@operation(
    "POST /v1/codes",
    "Find a private game by its code",
    FoundReply,
    access=ANYBODY,
    body=FindGame,
    kind=SITTING,
    refusals=("unknown_game", "unknown_rules", "unavailable"),
)
def find_game(call: Call[None]) -> Reply:
    snapshot = call.services.games.codes.find(call.body["code"])
    game, table = snapshot.state.game, render_snapshot(call.services.names.put_into(snapshot), None)
    return Reply(FoundReply(game, table), location=f"/v1/games/{game}")
