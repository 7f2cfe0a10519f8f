"""Games: made, listed, looked at."""

from __future__ import annotations

from urllib.parse import urlencode

from msgspec import Struct

from events.values import SeatPlan
from rules.rejection import Rejected
from rules.state import Seat, Status
from service.api.access import ANYBODY, SPECTATORS
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.inputs import bad_query
from service.api.operation import operation
from service.api.plans import explain_plan, find_game_faults
from service.api.problems import PLAN_REFUSALS, Fault
from service.api.replies import Reply
from service.api.schemas import GamesQuery, NewGame, TableQuery
from service.lobby.lobby import BadCursor, LobbyGame
from service.play.branches import Holder
from service.play.seating import Seating
from service.play.table_types import TableShown
from service.play.tables import render_snapshot


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


@operation(
    "POST /v1/games",
    "Set up a game; it starts by itself when no seat is open",
    GameReply,
    access=ANYBODY,
    status=201,
    body=NewGame,
    body_faults=find_game_faults,
    headers=(LONG_KEY,),
    refusals=PLAN_REFUSALS,
)
def create_game(call: Call[None]) -> Reply:
    plan = call.body
    seats = [SeatPlan(seat.get("name"), seat.get("bot"), seat.get("entropy", "")) for seat in plan["seats"]]
    creator = call.services.creators.identify(call.network)
    try:
        seated = call.services.games.create(
            plan["edition"], plan["options"], seats, call.key, creator, call.sender
        )
    except Rejected as rejected:
        raise explain_plan(rejected, plan) from None
    return Reply(game_reply(seated), seated.version, f"/v1/games/{seated.game}", seated.replayed)


@operation(
    "GET /v1/games",
    "The lobby, newest first",
    GamesReply,
    access=ANYBODY,
    query=GamesQuery,
    refusals=("unavailable",),
)
def list_games(call: Call[None]) -> Reply:
    try:
        page = call.services.lobby.page(**call.query)
    except BadCursor:
        raise bad_query([Fault("it is no cursor of this list", parameter="cursor")]) from None
    following = f"/v1/games?{urlencode({**call.query, 'cursor': page.cursor})}" if page.cursor else None
    # The list is derived, and may know of games that a restored log does not have.
    present = call.services.games.find_present([game.id for game in page.games])
    games = tuple(game for game in page.games if game.id in present)
    return Reply(GamesReply(games, page.cursor, following))


@operation(
    "GET /v1/games/{game}",
    "The table as the caller may see it",
    TableShown,
    access=SPECTATORS,
    query=TableQuery,
    refusals=("unknown_version", "unknown_rules"),
)
def show_table(call: Call[Holder | None]) -> Reply:
    games, at = call.services.games, call.query.get("at")
    snapshot = games.snapshot(call.game, at, call.branch)
    # Nothing is secret any more in an earlier table of a game that has ended (S1).
    earlier = at is not None and snapshot.state.status != "over"
    opened = earlier and games.snapshot(call.game, branch=snapshot.branch).state.status == "over"
    version = f"{snapshot.version}-opened" if opened else snapshot.version
    return Reply(lambda: render_snapshot(snapshot, call.seat, opened), version)


def game_reply(seated: Seating) -> GameReply:
    seats = tuple(
        _seat_reply(number, seat, seated.tokens.get(number)) for number, seat in enumerate(seated.state.seats)
    )
    return GameReply(seated.game, seated.version, seated.state.status, seats)


def _seat_reply(number: int, seat: Seat, token: str | None) -> SeatReply:
    if seat.bot is not None:
        return SeatReply(number, bot=seat.bot)
    return SeatReply(number, seat.name, open=seat.name is None, token=token)
