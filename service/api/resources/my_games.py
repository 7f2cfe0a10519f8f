"""The games of a player."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace

from service.api.access import PLAYERS, hide_private
from service.api.calls import Call
from service.api.inputs import bad_query
from service.api.operation import operation
from service.api.player_schemas import MyGamesQuery
from service.api.problems import Fault
from service.api.replies import Reply
from service.api.services import Services
from service.api.versions import await_version
from service.play.cursors import BadCursor
from service.players.my_games import MyGame
from service.players.players import Player


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
    refusals=("unknown_game", "unknown_version", "too_many_streams", "stream_quota", "unavailable"),
)
def list_my_games(call: Call[Player]) -> Reply:
    awaiting, cursor, limit = call.query["awaiting"], call.query.get("cursor"), call.query["limit"]
    reading = call.services.player_reading
    if "game" in call.query:
        _list_first(call, call.query["game"])
    try:
        page = reading.games(call.caller.id, awaiting == "true", cursor, limit)
    except BadCursor:
        raise bad_query([Fault("it is no cursor of this list", parameter="cursor")]) from None
    asked = {**call.request.args.to_dict(), "cursor": page.cursor}
    following = f"/v1/me/games?{urlencode(asked)}" if page.cursor else None
    return Reply(MyGamesReply(_finish(call.services, page.games), page.cursor, following))


def _list_first(call: Call[Player], game: str) -> None:
    """The list knows the game as far as it has come. Raises UnknownGame, UnknownVersion."""
    games, player = call.services.games, call.caller
    hide_private(call.services, game, games.find_seat_of(game, player.id, player.credential))
    call.services.journal.describe(game, await_version(call, game))


def _finish(services: Services, rows: Sequence[MyGame]) -> tuple[MyGame, ...]:
    """With the names of now, and without games that a restored log does not have."""
    present = services.games.find_present([row.id for row in rows])
    names = services.names.look_up({seat.player for row in rows for seat in row.seats if seat.player})
    return tuple(_name_seats(row, names) for row in rows if row.id in present)


def _name_seats(row: MyGame, names: Mapping[str, str]) -> MyGame:
    seats = (replace(seat, name=names[seat.player]) if seat.player else seat for seat in row.seats)
    return replace(row, seats=tuple(seats))
