"""The games of a player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from service.api.access import PLAYERS
from service.api.calls import Call
from service.api.inputs import bad_query
from service.api.operation import operation
from service.api.player_schemas import MyGamesQuery
from service.api.problems import Fault
from service.api.replies import Reply
from service.api.services import Services
from service.players.my_games import MyGame
from service.players.players import Player
from service.players.reading import BadCursor


class MyGamesReply(Struct, frozen=True):
    """`next` is the address of the next page, `cursor` its parameter; both are null on the last."""

    games: tuple[MyGame, ...]
    cursor: str | None
    next: str | None


@operation(
    "GET /v1/me/games",
    "My games, newest change first; on request only those that wait for me",
    MyGamesReply,
    access=PLAYERS,
    query=MyGamesQuery,
    refusals=("unavailable",),
)
def list_my_games(call: Call[Player]) -> Reply:
    awaiting, cursor, limit = call.query["awaiting"], call.query.get("cursor"), call.query["limit"]
    reading = call.services.player_reading
    try:
        page = reading.games(call.caller.id, awaiting == "true", cursor, limit)
    except BadCursor:
        raise bad_query([Fault("it is no cursor of this list", parameter="cursor")]) from None
    following = f"/v1/me/games?{urlencode({**call.query, 'cursor': page.cursor})}" if page.cursor else None
    return Reply(MyGamesReply(_finish(call.services, page.games), page.cursor, following))


def _finish(services: Services, rows: Sequence[MyGame]) -> tuple[MyGame, ...]:
    """With the names of now, and without games that a restored log does not have."""
    present = services.games.find_present([row.id for row in rows])
    names = services.names.look_up({seat.player for row in rows for seat in row.seats if seat.player})
    return tuple(_name_seats(row, names) for row in rows if row.id in present)


def _name_seats(row: MyGame, names: Mapping[str, str]) -> MyGame:
    seats = (replace(seat, name=names[seat.player]) if seat.player else seat for seat in row.seats)
    return replace(row, seats=tuple(seats))
