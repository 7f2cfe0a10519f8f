"""HTTP operations on players: create, rename, erase, their games, their events, stream tickets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated
from urllib.parse import urlencode

from flask import Response
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from events.text import Joined, Text
from events.values import Moment
from rules import EDITIONS
from service.games.cursors import BadCursor
from service.games.idempotency import ANONYMOUS, WeakKey, identify_request, is_weak
from service.http.auth import (
    BECOME_PLAYER,
    KEY_OPTIONAL,
    PLAYER_OR_ERASED,
    PLAYER_REQUIRED,
    PUBLIC_ACCESS,
    STREAM_PLAYER,
    TICKET_OWNER,
    TicketOwner,
    hide_private,
    use_up_ticket,
)
from service.http.compression import compress_for
from service.http.doorbell import Listener
from service.http.headers import (
    ERASURE_KEY,
    JSON,
    LONG_KEY,
    MY_KEY,
    MY_LAST_EVENT_ID,
    NDJSON,
    ROTATION_KEY,
    SSE,
    TICKET_KEY,
    read_my_last_event_id,
)
from service.http.limits import PLAYING, STREAMING, check_room
from service.http.operation import Call, await_version, operation
from service.http.problems import Fault, Problem
from service.http.requests import bad_query
from service.http.responses import REPLAYED, VARY, Reply
from service.http.services import Services
from service.http.streaming import STREAM_HEADERS
from service.players.feed import MyEvent, MyEvents, MyGame
from service.players.names import name_bots
from service.players.players import Player
from service.players.schemas import MyEventsQuery, MyGamesQuery, NewPlayer, NewTicket
from service.players.tickets import MINE, TICKET
from service.stats.counts import PlayerRating, read_ratings


class PlayerReply(Struct, frozen=True):
    """The token is shown this once, and opens every game where the player sits."""

    id: str
    name: str
    token: str


class GameCounts(Struct, frozen=True):
    """How many games the player sits in, by their status; private games are not counted."""

    lobby: int
    playing: int
    over: int


class Result(Struct, frozen=True):
    """Games of an edition that the player finished, and those of them that they won, alone or with others."""

    edition: str
    games: int
    won: int


class ProfileReply(Struct, frozen=True):
    """What everybody may know of a player."""

    id: str
    name: str
    games: GameCounts
    results: tuple[Result, ...]
    rating: tuple[PlayerRating, ...]
    remote_bot: bool | UnsetType = UNSET


@operation(
    "POST /v1/players",
    "Become a player: one name and one token for all games",
    PlayerReply,
    access=KEY_OPTIONAL,
    scope="players",
    needs_key=True,
    status=201,
    body=NewPlayer,
    headers=(LONG_KEY,),
    errors=("unavailable", "no_room"),
)
def create_player(call: Call[None]) -> Reply:
    """Create a player and reply with the token."""
    name = call.body["name"]
    key = call.api_key.id if call.api_key else ""
    if is_weak(key or ANONYMOUS, call.key):
        raise WeakKey
    request = identify_request(f"player of {key}" if key else "player", call.key, name)
    check_room(call.services.room, lambda: call.services.players.has_created(request))
    welcome = call.services.players.create(name, request, key)
    player = welcome.player
    reply = PlayerReply(player.id, player.name, welcome.token)
    return Reply(reply, location=f"/v1/players/{player.id}", replayed=welcome.replayed)


@operation(
    "GET /v1/players/{player}",
    "What everybody may know of a player",
    ProfileReply,
    access=PUBLIC_ACCESS,
    errors=("unknown_player", "unavailable"),
)
def show_player(call: Call[None]) -> Reply:
    """Reply with the public profile of a player."""
    player = call.services.players.read(call.path["player"])
    if player is None:
        raise Problem("unknown_player", "There is no player with this id, or the player was erased.")
    counts = call.services.player_reading.counts(player.id)
    games = GameCounts(*(counts.get(status, 0) for status in GameCounts.__struct_fields__))
    return Reply(
        ProfileReply(
            id=player.id,
            name=player.name,
            games=games,
            results=_results(counts),
            rating=read_ratings(call.services.stats.redis, [player.id])[player.id],
            remote_bot=True if call.services.remote_bots.find(player.id) else UNSET,
        )
    )


def _results(counts: Mapping[str, int]) -> tuple[Result, ...]:
    """Return the finished and won games by edition."""
    finished = ((name, counts.get(f"finished:{name}", 0)) for name in EDITIONS.newest)
    return tuple(Result(name, games, counts.get(f"won:{name}", 0)) for name, games in finished if games)


class MeReply(Struct, frozen=True):
    id: str
    name: str
    created: Moment


@operation(
    "GET /v1/me", "Who I am", MeReply, access=PLAYER_REQUIRED, scope="players", errors=("unavailable",)
)
def show_me(call: Call[Player]) -> Reply:
    """Reply with the caller's own record."""
    return Reply(_me_reply(call.caller))


@operation(
    "PATCH /v1/me",
    "Be called otherwise",
    MeReply,
    access=PLAYER_REQUIRED,
    scope="players",
    body=NewPlayer,
    headers=(MY_KEY,),
    errors=("unavailable",),
    rate_limit=PLAYING,
)
def rename_me(call: Call[Player]) -> Reply:
    """Rename the caller."""
    name = call.body["name"]
    renamed = call.services.player_changes.rename(call.caller, name, call.key)
    if renamed is None:
        raise _ended()
    return Reply(MeReply(call.caller.id, name, call.caller.created), replayed=renamed.replayed)


@operation(
    "DELETE /v1/me",
    "Be erased: the name is gone from every reply, the token ends, and every seat is left for good",
    {},
    access=PLAYER_OR_ERASED,
    scope="players",
    status=204,
    headers=(ERASURE_KEY,),
    errors=("unavailable",),
    rate_limit=PLAYING,
)
def erase_me(call: Call[Player | str]) -> Response:
    """Erase the caller and leave the caller's seats."""
    changes = call.services.player_changes
    caller = call.caller
    if isinstance(caller, Player):
        # First, so that a request that breaks off leaves no bot without an owner.
        call.services.bot_erasure.erase_all_of(caller.id)
    games = changes.erase(caller, call.key) if isinstance(caller, Player) else None
    if isinstance(caller, Player) and games is not None:
        # A seat that is not left now stays recorded, and the reconciler leaves it.
        call.services.erasure.leave_at_once(caller.id, games)
        call.services.webhooks.delete_all_of(caller.id)
        call.services.bot_erasure.forget(caller.id)
        return Response(status=204)
    if not changes.was_erased(_credential(caller), call.key):
        raise _ended()
    return Response(status=204, headers=REPLAYED)


@operation(
    "POST /v1/me/token",
    "A new token; the old one ends at once, and so do streams that were opened with it",
    PlayerReply,
    access=PLAYER_OR_ERASED,
    scope="players",
    status=201,
    headers=(ROTATION_KEY,),
    errors=("unavailable",),
    rate_limit=PLAYING,
)
def change_token(call: Call[Player | str]) -> Reply:
    """Replace the caller's token; a repeat with the old token and the same key gets the same new one.

    The key must be hard to guess: with it and the old token one gets the new token.
    """
    changes = call.services.player_changes
    caller = call.caller
    if is_weak(ANONYMOUS, call.key):
        raise WeakKey
    change = changes.change_token(caller, call.key) if isinstance(caller, Player) else None
    changed = change or changes.find_rotation(_credential(caller), call.key)
    if changed is None:
        raise _ended()
    reply = PlayerReply(changed.player.id, changed.player.name, changed.token)
    return Reply(reply, location=f"/v1/players/{changed.player.id}", replayed=changed.replayed)


def _credential(caller: Player | str) -> str:
    """Return the hash of the caller's token, which may have ended."""
    return caller.credential if isinstance(caller, Player) else caller


def _me_reply(player: Player) -> MeReply:
    """Return what a player is shown of themselves."""
    return MeReply(player.id, player.name, player.created)


def _ended() -> Problem:
    """Return the problem for a token that has ended by another request than this one."""
    return Problem(
        "unauthorized",
        Joined((Text("This player token is unknown or has been replaced."), BECOME_PLAYER), " "),
    )


class MyEventsReply(Struct, frozen=True, omit_defaults=True):
    """`next` is the `after` of the next request.

    With `reset` the events after the one that was named are no longer kept: these are the oldest that are,
    and `GET /v1/me/games?awaiting=true` says what is to be done now.
    """

    events: tuple[MyEvent, ...]
    next: str
    reset: bool = False


@operation(
    "GET /v1/me/events",
    "What happens in all my games: in pages, as lines, or as one stream",
    {JSON: MyEventsReply, NDJSON: MyEvent, SSE: MyEvent},
    access=STREAM_PLAYER,
    scope="players",
    query=MyEventsQuery,
    headers=(MY_LAST_EVENT_ID,),
    errors=("unavailable", "too_many_streams", "stream_quota", "cursor_lost"),
    rate_limit=STREAMING,
    uncached=True,
)
def show_my_events(call: Call[Player]) -> Reply | Response:
    """Reply with the caller's events as a page, as NDJSON or as a stream of server-sent events."""
    left_at = read_my_last_event_id(call.request)
    if call.media == SSE:
        return _stream(call, left_at)
    streams = call.services.my_streams
    limit = call.query.get("limit")
    page = streams.read(call.caller, call.query["after"], limit, call.query["wait"], call.network)
    if call.media == NDJSON:
        return _send_lines(call, page, limit)
    return Reply(MyEventsReply(tuple(page.events), page.next, page.reset))


def _send_lines(call: Call[Player], page: MyEvents, limit: int | None) -> Response:
    """Return the events as NDJSON. Raises Problem if some are no longer stored."""
    if page.reset:
        raise Problem("cursor_lost", "Events after this id are no longer kept. Start again with `after=0`.")
    lines, encoding = compress_for(call.request, call.services.my_streams.lines(call.caller, page, limit))
    return Response(lines, content_type=NDJSON, headers=VARY | encoding)


def _stream(call: Call[Player], left_at: str | None) -> Response:
    """Return a stream of events; it holds its listener until it is closed. Uses up the ticket."""
    listener = call.services.my_streams.doorbell.listen(call.caller.id, call.network)
    try:
        use_up_ticket(call.request, call.services, MINE)
    except Exception:
        listener.close()
        raise
    response = _begin_stream(call, listener, left_at)
    response.call_on_close(listener.close)
    return response


def _begin_stream(call: Call[Player], listener: Listener, left_at: str | None) -> Response:
    """Return the response whose body is the stream."""
    after = left_at or call.query["after"]
    limit = call.query.get("limit")
    frames = call.services.my_streams.frames(call.caller, after, limit, listener)
    return Response(frames, content_type=SSE, headers=STREAM_HEADERS)


class MyGamesReply(Struct, frozen=True):
    """`next` is the address of the next page, `cursor` its parameter; both are null on the last."""

    games: tuple[MyGame, ...]
    cursor: str | None
    next: str | None


@operation(
    "GET /v1/me/games",
    "My games, newest change first; on request only those that wait for me",
    MyGamesReply,
    access=PLAYER_REQUIRED,
    scope="players",
    query=MyGamesQuery,
    errors=("unknown_game", "unknown_version", "too_many_streams", "stream_quota", "unavailable"),
)
def list_my_games(call: Call[Player]) -> Reply:
    """Reply with a page of the caller's games."""
    awaiting = call.query["awaiting"]
    cursor = call.query.get("cursor")
    limit = call.query["limit"]
    reading = call.services.player_reading
    if "game" in call.query:
        _list_first(call, call.query["game"])
    try:
        page = reading.games(call.caller.id, awaiting, cursor, limit)
    except BadCursor:
        raise bad_query(
            [Fault("is not a cursor of this list; send the `next` of a page as it is", parameter="cursor")]
        ) from None
    asked = {**call.request.args.to_dict(), "cursor": page.cursor}
    following = f"/v1/me/games?{urlencode(asked)}" if page.cursor else None
    return Reply(MyGamesReply(_with_current_names(call.services, page.games), page.cursor, following))


def _list_first(call: Call[Player], game: str) -> None:
    """Bring a game in the caller's list up to date before the list is read.

    Waits for the version that the query names. Raises UnknownGame and UnknownVersion.
    """
    games = call.services.games
    player = call.caller
    hide_private(call.services, game, games.find_seat_of(game, player.id, player.credential))
    call.services.feed.describe(game, await_version(call, game))


def _with_current_names(services: Services, rows: Sequence[MyGame]) -> tuple[MyGame, ...]:
    """Return the rows with current names, without games that a restored log does not have."""
    present = services.games.find_present([row.id for row in rows])
    names = services.names.look_up({seat.player for row in rows for seat in row.seats if seat.player})
    return tuple(_name_seats(row, names) for row in rows if row.id in present)


def _name_seats(row: MyGame, names: Mapping[str, str]) -> MyGame:
    """Return a row with these names in its seats."""
    seats = name_bots(row.seats)
    return replace(
        row, seats=tuple(replace(seat, name=names[seat.player]) if seat.player else seat for seat in seats)
    )


TicketText = Annotated[str, Meta(extra_json_schema={"pattern": f"^{TICKET.pattern}$"})]


class TicketReply(Struct, frozen=True):
    """`ticket` goes into the address of a stream, `?ticket=…`, once and before it `expires`.

    A stream that was cut is opened anew with another ticket, and `after` the last id.
    """

    ticket: TicketText
    expires: Moment


@operation(
    "POST /v1/tickets",
    "A ticket that opens one stream, once, within 60 seconds",
    TicketReply,
    access=TICKET_OWNER,
    status=201,
    body=NewTicket,
    headers=(TICKET_KEY,),
    errors=("unknown_game", "unavailable", "broken_log"),
    rate_limit=STREAMING,
)
def create_ticket(call: Call[TicketOwner]) -> Reply:
    """Issue a ticket that opens one stream, once."""
    issued = call.services.tickets.issue(call.caller.stream, call.caller.credential, call.key)
    return Reply(TicketReply(issued.ticket, issued.expires), replayed=issued.replayed)
