"""HTTP operations on games: create, list, show, sit, choose, leave, void, rematch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlencode

from msgspec import UNSET, Struct, UnsetType

from events.chain import redact_commit
from events.commands import Cancel, Leave, Return, Start, Void
from events.follower import Fenced
from events.text import Joined, Sentence, Text
from events.types import Event
from events.values import PUBLIC, GameId, seat_of
from rules import Rejected, State, legal, view
from rules.errors import Reason
from rules.state import Status
from service.games.codes import is_watch_code
from service.games.cursors import BadCursor
from service.games.schemas import (
    BOT_REFUSALS,
    Choice,
    FindGame,
    GameReply,
    GamesQuery,
    LeaveTable,
    NewGame,
    NothingToSay,
    PictureQuery,
    SitDown,
    StartTable,
    TableQuery,
    VoidGame,
    check_consent,
    explain_plan,
    find_game_faults,
    find_unwilling,
    game_reply,
    plan_seat,
)
from service.games.seating import Seating
from service.games.snapshots import SeatIdentity, Snapshot, UnknownCode, UnknownGame
from service.games.table_text import write_table
from service.games.table_view import AskShown, TableShown, render_snapshot
from service.games.writer import CommandResult, TableCommand
from service.http.auth import (
    PLAYER_OPTIONAL,
    PUBLIC_ACCESS,
    SEAT_OR_FORMER_SEAT,
    SEAT_REQUIRED,
    SPECTATOR_ALLOWED,
    VIEWER_OPTIONAL,
    FormerSeat,
)
from service.http.headers import IDEMPOTENCY_KEY, IF_MATCH, JSON, LONG_KEY, MARKDOWN, TEXT
from service.http.limits import CREATING, SITTING
from service.http.names import list_at_once, name_for, name_rows
from service.http.operation import Call, await_version, operation
from service.http.problems import (
    CHOICE_REFUSALS,
    LOBBY_REFUSALS,
    PLAN_REFUSALS,
    REMATCH_REFUSALS,
    SEAT_REFUSALS,
    Fault,
    Problem,
    explain_rejection,
)
from service.http.requests import bad_body, bad_query
from service.http.responses import Reply
from service.lobby.filters import GameFilter
from service.lobby.rows import LobbyGame
from service.pictures.picture import draw_table
from service.players.names import Names
from service.players.players import Player


class GamesReply(Struct, frozen=True):
    """`next` is the address of the next page, `cursor` its parameter; both are null on the last."""

    games: tuple[LobbyGame, ...]
    cursor: str | None
    next: str | None


@operation(
    "POST /v1/games",
    "Set up a game; it starts by itself when no seat is open",
    GameReply,
    access=PLAYER_OPTIONAL,
    needs_key=True,
    status=201,
    body=NewGame,
    body_faults=find_game_faults,
    headers=(LONG_KEY,),
    errors=(*PLAN_REFUSALS, *BOT_REFUSALS, "too_many_games", "no_room"),
)
def create_game(call: Call[Player | None]) -> Reply:
    """Create a game and reply with its seats and tokens."""
    plan = call.body
    seats = [plan_seat(seat, call.caller, call.services) for seat in plan["seats"]]
    creator = call.services.creators.identify(call.network)
    games = call.services.games
    quota = call.services.game_quota
    is_repeat = partial(games.arrivals.has_created, call.key, call.sender)
    check_consent(seats, call.caller, call.services, is_repeat)
    quota.check(creator, is_repeat, call.api_key)
    try:
        seated = games.create(
            plan["edition"],
            plan["options"],
            seats,
            caller=call.as_caller(),
            creator=creator,
            visibility=plan["visibility"],
            sandbox_seed=plan["sandbox"]["seed"] if "sandbox" in plan else "",
        )
    except Rejected as rejected:
        raise explain_plan(rejected, plan) from None
    if not seated.replayed:
        quota.record(creator, seated.game)
        list_at_once(call.services, seated.game)
    reply = game_reply(seated, call.services.names)
    return Reply(reply, seated.version, f"/v1/games/{seated.game}", seated.replayed)


@operation(
    "GET /v1/games",
    "The lobby, newest first by creation or by change; imported games are in it only with `status=over`, "
    "`finished_after` or `name`",
    GamesReply,
    access=PUBLIC_ACCESS,
    query=GamesQuery,
    errors=("unknown_game", "unknown_version", "too_many_streams", "stream_quota", "unavailable"),
)
def list_games(call: Call[None]) -> Reply:
    """Reply with a page of public games that match the query."""
    query = call.query
    if "game" in query:
        _list_first(call, query["game"])
    try:
        page = call.services.lobby.page(_read_filter(query), query.get("cursor"), query["limit"])
    except BadCursor:
        raise bad_query(
            [Fault("is not a cursor of this list; send the `next` of a page as it is", parameter="cursor")]
        ) from None
    asked = {**call.request.args.to_dict(), "cursor": page.cursor}
    following = f"/v1/games?{urlencode(asked)}" if page.cursor else None
    # The list is derived, and may know of games that a restored log does not have.
    present = call.services.games.find_present([game.id for game in page.games])
    games = name_rows(call.services.names, [game for game in page.games if game.id in present])
    return Reply(GamesReply(games, page.cursor, following))


def _read_filter(query: Mapping[str, Any]) -> GameFilter:
    """Return the filter that a query asks for.

    With a limit of time the games come by their last change, so that reading can stop at the limit.
    """
    since = "updated_after" in query or "finished_after" in query
    wished = {name: query[name] for name in GameFilter.__struct_fields__ if name in query}
    return GameFilter(**{"order": "changed" if since else "created", **wished})


def _list_first(call: Call[None], game: str) -> None:
    """Bring the row of a game up to date before the list is read.

    Waits for the version that the query names. Raises UnknownGame and UnknownVersion.
    """
    if call.services.games.codes.is_private(game):
        raise UnknownGame(game)
    fence = call.services.lobby.read_fence(game)
    with suppress(Fenced):
        call.services.lobby.update(await_version(call, game), fence)


@operation(
    "GET /v1/games/{game}",
    "The table as the caller may see it, as JSON or as compact text",
    {JSON: TableShown, TEXT: str, MARKDOWN: str},
    access=SPECTATOR_ALLOWED,
    query=TableQuery,
    errors=("unknown_version", "unknown_rules", "too_many_streams", "stream_quota"),
    expensive_param="at",
    any_accept=True,
)
def show_table(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Reply with the table as the caller may see it, now or at an earlier version."""
    if "min_version" in call.query:
        await_version(call, call.game)
    found = find_table(call, call.query.get("at"))
    if call.media != JSON:
        return Reply(
            lambda: write_table(found.render(call.seat), call.language).encode(),
            f"{found.version}-{TEXT_FORMS[call.media]}",
            media=f"{call.media}; charset=utf-8",
            headers=found.headers,
        )
    return Reply(lambda: found.render(call.seat), found.version, headers=found.headers)


class FoundTable(Struct, frozen=True):
    """A table that is to be shown: how it is rendered for a seat, its entity tag, and how caches keep it."""

    render: Callable[[int | None], TableShown]
    version: int | str
    headers: Mapping[str, str]


def find_table(call: Call[SeatIdentity | Player | None], at: int | None) -> FoundTable:
    """Return the table of the call's game now, or at an earlier version. Raises UnknownVersion."""
    games = call.services.games
    snapshot = games.snapshot(call.game, at, call.log_epoch)
    # Nothing is secret any more in an earlier table of a game that has ended (S1).
    earlier = at is not None and snapshot.state.status != "over"
    opened = earlier and games.snapshot(call.game, log_epoch=snapshot.log_epoch).state.status == "over"
    names = call.services.names.for_one_reply()
    mark = f"{'-opened' if opened else ''}{names.mark(snapshot)}"
    version = call.tag(f"{snapshot.version}{mark}" if mark else snapshot.version, snapshot.head)
    naming = name_for(call.services, call.game, names)
    is_past = at is not None and (opened or snapshot.state.status == "over")
    headers = FOR_A_DAY if is_past and _is_same_for_all(call, snapshot) else {}
    return FoundTable(lambda seat: render_snapshot(naming(snapshot), seat, opened), version, headers)


SVG = "image/svg+xml"
# A picture that is opened by itself runs and loads nothing; its style and font are in it.
PICTURE_ALONE = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; font-src data:"}


@operation(
    "GET /v1/games/{game}/picture.svg",
    "A picture of the board, as anybody may see it",
    {SVG: str},
    access=SPECTATOR_ALLOWED,
    query=PictureQuery,
    errors=("unknown_version", "unknown_rules"),
    expensive_param="at",
    any_accept=True,
)
def show_picture(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Reply with the board, now or at an earlier version, drawn as for a spectator."""
    found = find_table(call, call.query.get("at"))
    return Reply(
        lambda: draw_table(found.render(None), call.language),
        f"{found.version}-svg",
        media=f"{SVG}; charset=utf-8",
        headers={**found.headers, **PICTURE_ALONE},
    )


# What the entity tag of a table in text ends with.
TEXT_FORMS = {TEXT: "txt", MARKDOWN: "md"}

FOR_A_DAY = {"Cache-Control": "public, max-age=86400"}


def _is_same_for_all(call: Call[SeatIdentity | Player | None], snapshot: Snapshot) -> bool:
    """Return whether a past table of a game that is over is the same for everybody, today and tomorrow.

    A caller with a token gets the view of their seat. Names of registered players may change or be erased,
    and a log that was replaced once may be so again.
    """
    state = snapshot.state
    is_public = call.caller is None and state.visibility == PUBLIC
    is_settled = not any(seat.player for seat in state.seats) and not call.services.games.has_moved(call.game)
    return is_public and is_settled


# The refusals that do not say themselves what is asked now.
OTHER_ASK = (Reason.UNKNOWN_ASK, Reason.ALREADY_ANSWERED)


class ChoiceReply(Struct, frozen=True):
    """What the answer caused, the table after it, and what the caller is asked now.

    `by` is there if the same answer was given for the caller before: `clock`, or `bot:` with the bot's name.
    """

    version: int
    events: tuple[Event, ...]
    table: TableShown
    asks: tuple[AskShown, ...]
    by: str | UnsetType = UNSET


@operation(
    "POST /v1/games/{game}/choices",
    "Answer an ask with one of its options",
    ChoiceReply,
    access=SEAT_REQUIRED,
    body=Choice,
    headers=(IDEMPOTENCY_KEY, IF_MATCH),
    errors=(*CHOICE_REFUSALS, "unknown_rules"),
)
def choose(call: Call[SeatIdentity]) -> Reply:
    """Answer an ask for the caller's seat and reply with what that caused."""
    caller = call.as_caller(if_version=_expected_version(call))
    try:
        result = call.services.games.choose(call.game, caller, call.body["ask"], call.body["choice"])
    except Rejected as rejected:
        raise _explain(rejected, call) from None
    reply = _choice_reply(result, call.services.names)
    tag = call.tag(result.version, result.snapshot.head)
    return Reply(reply, tag, replayed=result.replayed)


def _choice_reply(result: CommandResult, names: Names) -> ChoiceReply:
    """Return the reply to a choice."""
    events = _redacted_events(result, result.seat)
    table = render_snapshot(names.put_into(result.snapshot), result.seat)
    asks = tuple(ask for ask in table.asks if ask.yours)
    commit = result.commit
    by = commit.by if commit is not None and seat_of(commit.by) is None else UNSET
    return ChoiceReply(result.version, events, table, asks, by)


def _redacted_events(result: CommandResult, viewer: int | None) -> tuple[Event, ...]:
    """Return what the command caused, as the viewer may see it."""
    if result.commit is None:
        return ()
    return redact_commit(result.commit, viewer, result.state.status == "over").events


def _explain(rejected: Rejected, call: Call[SeatIdentity]) -> Problem:
    """Return the problem for a refused choice, which says what could be answered instead."""
    snapshot = call.services.games.snapshot(call.game, log_epoch=call.log_epoch)
    seat = call.caller.seat
    options = legal(view(call.services.names.put_into(snapshot).state, seat), seat)
    problem = explain_rejection(rejected, version=snapshot.version, options=options or None)
    if rejected.reason in OTHER_ASK:
        problem.detail = Joined([Sentence(rejected.detail), *_tell_awaited(snapshot.state)], " ")
    if rejected.reason is Reason.ILLEGAL_CHOICE and options:
        remedy = Text('Send the `choice` of one of them, such as "{choice}".', choice=options[0].choice)
        problem.detail = Joined((Sentence(rejected.detail), remedy), " ")
    return problem


def _tell_awaited(state: State) -> list[str]:
    """Return a sentence that says what the game waits for, if it does."""
    if state.status == "over":
        return [Text("The game is over.")]
    ask = state.ask
    if ask is None:
        return []
    seats = _name_seats(ask.awaited)
    return [Text("The game now waits for {seats} (ask {ask}).", seats=seats, ask=ask.id)]


def _name_seats(seats: Sequence[int]) -> str:
    """Return seats as words."""
    if len(seats) == 1:
        return Text("seat {number}", number=seats[0])
    return Text("seats {numbers}", numbers=", ".join(map(str, seats)))


def _expected_version(call: Call[SeatIdentity]) -> int | None:
    """Return the version that If-Match asks for, or None. Raises Problem if none can match."""
    marks = call.if_match
    if marks is None:
        return None
    first = next(iter(marks), None)
    if first is not None and len(marks) == 1 and not first.head:
        return first.version
    newest = call.services.games.snapshot(call.game)
    if not any(mark.names(newest.version, newest.head) for mark in marks):
        raise Problem(
            "stale_version", "`If-Match` names another version of the table.", version=newest.version
        )
    return newest.version


class SatReply(Struct, frozen=True):
    """The token is shown this once; a player's seat has none of its own."""

    id: GameId
    version: int
    status: Status
    seat: int
    name: str
    token: str | UnsetType = UNSET
    player: str | UnsetType = UNSET


@operation(
    "POST /v1/games/{game}/seats",
    "Take an open seat",
    SatReply,
    access=VIEWER_OPTIONAL,
    status=201,
    body=SitDown,
    rate_limit=SITTING,
    headers=(LONG_KEY,),
    errors=(*SEAT_REFUSALS, "unknown_rules"),
)
def take_seat(call: Call[SeatIdentity | Player | None]) -> Reply:
    """Seat the caller in an open game and reply with the seat's token."""
    player = call.player
    games = call.services.games
    if not isinstance(call.caller, SeatIdentity):
        games.codes.check(call.game, call.body["code"])
    name = "" if player else _read_name(call.body)
    entropy = call.body["entropy"]
    seat = call.body.get("seat")
    about = (player.id, player.name_commitment) if player else ("", "")
    try:
        seated = games.sit(call.game, name, entropy, seat, *about, caller=call.as_caller())
    except Rejected as rejected:
        errors = [Fault(rejected.detail, "/seat")] if rejected.reason is Reason.UNKNOWN_SEAT else []
        raise explain_rejection(rejected, errors=errors) from None
    if not seated.replayed:
        list_at_once(call.services, call.game)
    reply = _sat_reply(seated, call.services.names)
    return Reply(reply, seated.version, f"/v1/games/{call.game}", seated.replayed)


def _read_name(body: Mapping[str, Any]) -> str:
    """Return the name in the body. Raises Problem if there is none."""
    if "name" not in body:
        fault = Fault("is required, unless a player token is sent", "/name")
        raise bad_body([fault])
    return str(body["name"])


def _sat_reply(seated: Seating, names: Names) -> SatReply:
    """Return the reply to a request that took a seat."""
    (seat,) = seated.seats
    taken = names.name_seats(seated.state).seats[seat]
    token = seated.tokens.get(seat, UNSET)
    player = taken.player or UNSET
    return SatReply(seated.game, seated.version, seated.state.status, seat, taken.name or "", token, player)


class SettledReply(Struct, frozen=True):
    """What the call caused, nothing where it was so before, and the table after it."""

    version: int
    events: tuple[Event, ...]
    table: TableShown


@operation(
    "POST /v1/games/{game}/leave",
    "Leave: in the lobby the seat is open again and its token ends; in play a bot answers until you return",
    SettledReply,
    access=SEAT_OR_FORMER_SEAT,
    body=LeaveTable,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    errors=(Reason.GAME_OVER, Reason.UNKNOWN_SEAT, Reason.TOO_OFTEN, "unknown_rules"),
)
def leave_table(call: Call[SeatIdentity | FormerSeat]) -> Reply:
    """Give up the caller's seat, for a while or for good."""
    for_good = call.body["for_good"]
    caller = call.caller
    if isinstance(caller, SeatIdentity):
        return _execute(call, Leave(caller.seat, for_good=for_good))
    former_seats = call.services.games.former_seats
    left = former_seats.find_departure(
        call.game, caller.credential, caller.player, for_good=for_good, key=call.key
    )
    if left is None:
        raise caller.refusal
    return _reply(call, left)


@operation(
    "POST /v1/games/{game}/return",
    "Come back: from now on no bot answers for the seat; answering an ask does the same",
    SettledReply,
    access=SEAT_REQUIRED,
    body=NothingToSay,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    errors=(Reason.GAME_OVER, Reason.UNKNOWN_SEAT, "unknown_rules"),
)
def return_to_table(call: Call[SeatIdentity]) -> Reply:
    """Give the caller's seat back from the bot that acts for it."""
    return _execute(call, Return(call.caller.seat))


@operation(
    "POST /v1/games/{game}/start",
    "Start an open table with bots in the empty seats; for its host",
    SettledReply,
    access=SEAT_REQUIRED,
    body=StartTable,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    errors=(*LOBBY_REFUSALS, "unknown_rules"),
)
def start_game(call: Call[SeatIdentity]) -> Reply:
    """Start a game with bots in its open seats."""
    return _execute(call, Start(call.caller.seat, call.body["bot"]))


@operation(
    "POST /v1/games/{game}/cancel",
    "Call off a game that has not started; for its host",
    SettledReply,
    access=SEAT_REQUIRED,
    body=NothingToSay,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    errors=(*LOBBY_REFUSALS, "unknown_rules"),
)
def cancel_game(call: Call[SeatIdentity]) -> Reply:
    """End a game that has not started."""
    return _execute(call, Cancel(call.caller.seat))


@operation(
    "POST /v1/games/{game}/void",
    "Consent to end the game without winners, or take that back; it ends when all people consent",
    SettledReply,
    access=SEAT_REQUIRED,
    body=VoidGame,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    errors=(
        Reason.GAME_OVER,
        Reason.NOT_STARTED,
        Reason.UNKNOWN_SEAT,
        Reason.TOO_OFTEN,
        "unknown_rules",
    ),
)
def void_game(call: Call[SeatIdentity]) -> Reply:
    """Record whether the caller agrees to end the game without winners."""
    return _execute(call, Void(call.caller.seat, call.body["agrees"]))


def _execute(call: Call[Any], command: TableCommand) -> Reply:
    """Carry out a command for the caller and return the reply."""
    return _reply(call, call.services.games.execute(call.game, call.as_caller(), command))


def _reply(call: Call[Any], result: CommandResult) -> Reply:
    """Return the reply to a command."""
    if not result.replayed:
        list_at_once(call.services, call.game)
    # A caller who has given up the seat sees what a spectator sees.
    viewer = call.seat if result.state.seats[result.seat].is_person else None
    table = render_snapshot(call.services.names.put_into(result.snapshot), viewer)
    reply = SettledReply(result.version, _redacted_events(result, viewer), table)
    return Reply(reply, result.version, replayed=result.replayed)


@operation(
    "POST /v1/games/{game}/rematch",
    "Play again with the same seats, the start moved on; each calls it for their own token of the new game",
    GameReply,
    access=SEAT_REQUIRED,
    status=201,
    body=NothingToSay,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    rate_limit=CREATING,
    errors=(*REMATCH_REFUSALS, "unknown_seat", "unknown_rules", "too_many_games", "no_room"),
)
def make_rematch(call: Call[SeatIdentity]) -> Reply:
    """Reply with the caller's seat in the game that follows, creating it if necessary."""
    services = call.services
    creator = services.creators.identify(call.network)
    rematches = services.games.rematches
    services.game_quota.check(creator, lambda: rematches.is_made(call.game), call.api_key)
    players = _players_of(call)
    # A bot of the service plays for a registered bot that may not be seated again.
    absent = services.players.find_erased(players) | find_unwilling(players, call.player, services).keys()
    seated = rematches.rematch(call.game, call.as_caller(), creator, absent)
    if seated.made:
        services.game_quota.record(creator, seated.game)
        list_at_once(services, seated.game)
    reply = game_reply(seated, services.names)
    return Reply(reply, seated.version, f"/v1/games/{seated.game}", seated.replayed)


def _players_of(call: Call[SeatIdentity]) -> list[str]:
    """Return the players who sit in a game."""
    state = call.services.games.snapshot(call.game, log_epoch=call.log_epoch).state
    return [seat.player for seat in state.seats if seat.player]


class FoundReply(Struct, frozen=True):
    """Where to sit down with the same code, and the table as a spectator sees it.

    With a watch code nobody sits down: send it as the bearer token to look on.
    """

    id: GameId
    table: TableShown
    watch_only: bool


@operation(
    "POST /v1/codes",
    "Find a private game by its code",
    FoundReply,
    access=PUBLIC_ACCESS,
    body=FindGame,
    rate_limit=SITTING,
    errors=("unknown_game", "unknown_rules", "unavailable"),
)
def find_game(call: Call[None]) -> Reply:
    """Reply with the private game that has this code."""
    try:
        snapshot = call.services.games.codes.find(call.body["code"])
    except UnknownGame:
        raise UnknownCode(call.body["code"]) from None
    game = snapshot.game
    table = render_snapshot(call.services.names.put_into(snapshot), None)
    watch_only = is_watch_code(call.body["code"])
    return Reply(FoundReply(game, table, watch_only), location=f"/v1/games/{game}")
