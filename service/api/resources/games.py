"""Games: made, listed, looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import UNSET, Struct, UnsetType

from events.values import GameId, SeatPlan
from rules.rejection import Rejected
from rules.state import Seat, Status
from service.api.access import ANYBODY, BECOME_PLAYER, FOUNDERS, SEND_TOKEN, SPECTATORS
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.inputs import bad_query
from service.api.list_schemas import GamesQuery, TableQuery
from service.api.naming import name_for
from service.api.operation import operation
from service.api.plans import explain_plan, find_game_faults
from service.api.problems import PLAN_REFUSALS, Fault, Problem
from service.api.replies import Reply
from service.api.rows import list_at_once, name_rows
from service.api.schemas import NewGame
from service.api.versions import await_version
from service.lobby.lines import LobbyGame
from service.lobby.wishes import Wish
from service.play.branches import Holder
from service.play.cursors import BadCursor
from service.play.seating import Seating
from service.play.snapshots import UnknownGame
from service.play.table_types import ForkShown, TableShown
from service.play.tables import render_snapshot
from service.players.names import Names
from service.players.players import Player


class SeatReply(Struct, frozen=True, omit_defaults=True):
    """The token is shown this once; a player's seat is opened by the player's own."""

    seat: int
    name: str | None = None
    bot: str | None = None
    open: bool = False
    token: str | None = None
    player: str | None = None


class GameReply(Struct, frozen=True):
    """One that is created private has a `code`, which is shown this once.

    In a code case, spaces and hyphens do not matter. Forks and rematches have none.
    """

    id: GameId
    version: int
    status: Status
    seats: tuple[SeatReply, ...]
    code: str | UnsetType = UNSET
    fork: ForkShown | UnsetType = UNSET


class GamesReply(Struct, frozen=True):
    """`next` is the address of the next page, `cursor` its parameter; both are null on the last."""

    games: tuple[LobbyGame, ...]
    cursor: str | None
    next: str | None


@operation(
    "POST /v1/games",
    "Set up a game; it starts by itself when no seat is open",
    GameReply,
    access=FOUNDERS,
    status=201,
    body=NewGame,
    body_faults=find_game_faults,
    headers=(LONG_KEY,),
    refusals=(*PLAN_REFUSALS, "too_many_games"),
)
def create_game(call: Call[Player | None]) -> Reply:
    plan = call.body
    seats = [plan_seat(seat, call.caller) for seat in plan["seats"]]
    creator = call.services.creators.identify(call.network)
    games, quota = call.services.games, call.services.game_quota
    quota.check(creator, lambda: games.arrivals.has_created(call.key, call.sender))
    try:
        seated = games.create(
            plan["edition"], plan["options"], seats, call.key, creator, call.sender, plan["visibility"]
        )
    except Rejected as rejected:
        raise explain_plan(rejected, plan) from None
    if not seated.replayed:
        quota.note(creator, seated.game)
        list_at_once(call.services, seated.game)
    reply = game_reply(seated, call.services.names)
    return Reply(reply, seated.version, f"/v1/games/{seated.game}", seated.replayed)


def plan_seat(seat: Mapping[str, Any], player: Player | None) -> SeatPlan:
    """Raises Problem for a player's seat without a player."""
    entropy = seat.get("entropy", "")
    if "remote" in seat:
        told = seat["remote"]
        return SeatPlan(told["name"], None, entropy, "", "", told["seconds"], told["fallback"])
    if "player" not in seat:
        return SeatPlan(seat.get("name"), seat.get("bot"), entropy)
    if player is None:
        raise Problem("unauthorized", f"a seat for the caller needs a player; {BECOME_PLAYER}; {SEND_TOKEN}")
    return SeatPlan(None, None, entropy, player.id, player.name_commitment)


@operation(
    "GET /v1/games",
    "The lobby, newest first by creation or by change; imported games are in it only with `status=over`, "
    "`finished_after` or `name`",
    GamesReply,
    access=ANYBODY,
    query=GamesQuery,
    refusals=("unknown_game", "unknown_version", "too_many_streams", "stream_quota", "unavailable"),
)
def list_games(call: Call[None]) -> Reply:
    query = call.query
    if "game" in query:
        _list_first(call, query["game"])
    try:
        page = call.services.lobby.page(_read_wish(query), query.get("cursor"), query["limit"])
    except BadCursor:
        raise bad_query([Fault("it is no cursor of this list", parameter="cursor")]) from None
    asked = {**call.request.args.to_dict(), "cursor": page.cursor}
    following = f"/v1/games?{urlencode(asked)}" if page.cursor else None
    # The list is derived, and may know of games that a restored log does not have.
    present = call.services.games.find_present([game.id for game in page.games])
    games = name_rows(call.services.names, [game for game in page.games if game.id in present])
    return Reply(GamesReply(games, page.cursor, following))


def _read_wish(query: Mapping[str, Any]) -> Wish:
    """Where a time is asked for, the order of change is the one that ends there."""
    since = "updated_after" in query or "finished_after" in query
    wished = {name: query[name] for name in Wish.__struct_fields__ if name in query}
    return Wish(**{"order": "changed" if since else "created", **wished})


def _list_first(call: Call[None], game: str) -> None:
    """The list knows the game as far as it has come. Raises UnknownGame, UnknownVersion."""
    if call.services.games.codes.is_private(game):
        raise UnknownGame(game)
    call.services.lobby.update(await_version(call, game))


@operation(
    "GET /v1/games/{game}",
    "The table as the caller may see it",
    TableShown,
    access=SPECTATORS,
    query=TableQuery,
    refusals=("unknown_version", "unknown_rules", "too_many_streams", "stream_quota"),
    dear_query="at",
)
def show_table(call: Call[Holder | Player | None]) -> Reply:
    games, at = call.services.games, call.query.get("at")
    if "min_version" in call.query:
        await_version(call, call.game)
    snapshot = games.snapshot(call.game, at, call.branch)
    # Nothing is secret any more in an earlier table of a game that has ended (S1).
    earlier = at is not None and snapshot.state.status != "over"
    opened = earlier and games.snapshot(call.game, branch=snapshot.branch).state.status == "over"
    names = call.services.names.for_one_reply()
    mark = f"{'-opened' if opened else ''}{names.mark(snapshot)}"
    version = call.tag(f"{snapshot.version}{mark}" if mark else snapshot.version, snapshot.head)
    naming = name_for(call.services, call.game, names)
    return Reply(lambda: render_snapshot(naming(snapshot), call.seat, opened), version)


def game_reply(seated: Seating, names: Names) -> GameReply:
    state = names.name_seats(seated.state)
    seats = tuple(
        _seat_reply(number, seat, seated.tokens.get(number)) for number, seat in enumerate(state.seats)
    )
    origin = seated.state.origin
    fork = ForkShown(origin.game, origin.at) if origin else UNSET
    return GameReply(seated.game, seated.version, seated.state.status, seats, seated.code or UNSET, fork)


def _seat_reply(number: int, seat: Seat, token: str | None) -> SeatReply:
    if seat.bot is not None:
        return SeatReply(number, bot=seat.bot)
    return SeatReply(number, seat.name, open=seat.name is None, token=token, player=seat.player or None)
