"""Games: made, listed, looked at."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Blueprint, Response, request
from msgspec import Struct

from events.values import SeatPlan
from rules.rejection import Rejected
from rules.state import Seat, Status
from service.api.bodies import json_body
from service.api.parts import (
    by_content,
    etag,
    idempotency_key,
    parts,
    query,
    replayed,
    reply,
    unchanged,
    viewer,
)
from service.api.plans import plan, refused_plan
from service.api.problems import Fault
from service.api.schemas import GamesQuery, TableQuery, bad_query
from service.lobby.lobby import BadCursor, LobbyGame
from service.play.games import Seating
from service.play.snapshots import Snapshot
from service.play.tables import table_of

blueprint = Blueprint("games", __name__, url_prefix="/v1")
GAMES_QUERY, TABLE_QUERY = GamesQuery(), TableQuery()


class SeatReply(Struct, frozen=True, omit_defaults=True):
    """The token is shown this once."""

    seat: int
    name: str | None = None
    bot: str | None = None
    open: bool = False
    token: str | None = None


class GameReply(Struct, frozen=True):
    id: str
    version: int
    status: Status
    seats: tuple[SeatReply, ...]


class GamesReply(Struct, frozen=True):
    """`next` is the address of the next page, `cursor` its parameter; both are null on the last."""

    games: tuple[LobbyGame, ...]
    cursor: str | None
    next: str | None


@blueprint.post("/games")
def create_game() -> Response:
    query()
    given = plan(json_body(request))
    plans = [SeatPlan(seat.get("name"), seat.get("bot"), seat.get("entropy", "")) for seat in given["seats"]]
    try:
        seated = parts().games.create(given["edition"], given["options"], plans, idempotency_key())
    except Rejected as rejected:
        raise refused_plan(rejected, given) from None
    headers = {"Location": f"/v1/games/{seated.game}", **etag(seated.version), **replayed(seated.replayed)}
    return reply(_created(seated), 201, headers)


@blueprint.get("/games")
def list_games() -> Response:
    asked = query(GAMES_QUERY)
    try:
        page = parts().lobby.page(**asked)
    except BadCursor:
        raise bad_query([Fault("it is no cursor of this list", parameter="cursor")]) from None
    following = f"/v1/games?{urlencode({**asked, 'cursor': page.cursor})}" if page.cursor else None
    return by_content(GamesReply(page.games, page.cursor, following))


@blueprint.get("/games/<game>")
def show_table(game: str) -> Response:
    seat, at = viewer(game), query(TABLE_QUERY).get("at")
    snapshot = parts().games.snapshot(game, at)
    opened = at is not None and _over_since(game, snapshot)
    tag = f"{snapshot.version}-opened" if opened else snapshot.version
    return unchanged(tag) or reply(table_of(snapshot, seat, opened), headers=etag(tag))


def _over_since(game: str, snapshot: Snapshot) -> bool:
    """Whether this is an earlier table of a game that has ended, in which nothing is secret any more (S1)."""
    return snapshot.state.status != "over" and parts().games.snapshot(game).state.status == "over"


def _created(seated: Seating) -> GameReply:
    seats = tuple(
        _seat(number, seat, seated.tokens.get(number)) for number, seat in enumerate(seated.state.seats)
    )
    return GameReply(seated.game, seated.version, seated.state.status, seats)


def _seat(number: int, seat: Seat, token: str | None) -> SeatReply:
    if seat.bot is not None:
        return SeatReply(number, bot=seat.bot)
    return SeatReply(number, seat.name, open=seat.name is None, token=token)
