"""Authenticates the caller of an operation: seat tokens, player tokens, API keys and stream tickets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from flask import Request, g
from msgspec import Struct

from events.text import Joined, Text
from service.feeds.journals import PUBLIC
from service.games.codes import is_watch_code
from service.games.snapshots import SeatIdentity, UnknownGame
from service.games.tokens import hash_token, looks_like_seats
from service.http.headers import ACT_FOR_PLAYER, IDEMPOTENCY_KEY, JSON, NDJSON, SSE, media_reader, read_bearer
from service.http.hooks import add_log_facts
from service.http.problems import Problem
from service.http.services import Services
from service.keys.keys import ApiKey, Scope, looks_like_key
from service.players.places import credential_of, looks_like_players
from service.players.players import Player
from service.players.tickets import MINE

Caller = TypeVar("Caller")
Security = tuple[Mapping[str, list[str]], ...]
SEAT_TOKEN: Mapping[str, list[str]] = {"seat": []}
WATCH_CODE: Mapping[str, list[str]] = {"watch": []}
PLAYER_TOKEN: Mapping[str, list[str]] = {"player": []}
API_KEY: Mapping[str, list[str]] = {"key": []}
NO_TOKEN: Mapping[str, list[str]] = {}
SEND_TOKEN = Text("Send the header `Authorization: Bearer <token>`.")
# No token begins with one of these.
QUOTES = "\"'`<([{"
BECOME_PLAYER = Text("Get a player token from `POST /v1/players`.")


class Access(Struct, Generic[Caller], frozen=True):
    """Who may call an operation.

    `identify` returns the caller, or raises Problem or UnknownGame; it is given the id of the game, which is
    in the path, or with `game_in_body` in the body. `check_first` is then called before the body is read.
    `security` is what the contract says of it.
    """

    identify: Callable[[Request, Services, str], Caller]
    security: Security = ()
    errors: tuple[str, ...] = ()
    game_in_body: bool = False
    check_first: Callable[[Request], object] | None = None


class FormerSeat(Struct, frozen=True):
    """A caller without a seat: the hash of their token, their id as a player, and how to refuse them."""

    credential: str
    player: str
    refusal: Exception


def skip_identification(request: Request, services: Services, game: str) -> None:
    return None


def read_token(request: Request) -> str | None:
    """Return the bearer token; None without the header, empty when it has another form."""
    return read_bearer(request.environ)


def find_api_key(request: Request, services: Services) -> ApiKey | None:
    """Return the API key of the request; None without one, or with one that is not valid."""
    token = read_token(request)
    return services.api_keys.find(token) if token and looks_like_key(token) else None


def check_api_key(request: Request, key: ApiKey | None, scope: Scope | None) -> None:
    """Raise Problem if the request's API key is not valid, or may not do this.

    `scope` is what the operation needs of a key; None if every key may call it.
    """
    is_acting = ACT_FOR_PLAYER.variable in request.environ
    if key is None:
        if looks_like_key(read_token(request) or ""):
            raise Problem("unauthorized", "This API key is unknown, expired or revoked.")
        if is_acting:
            raise Problem(
                "bad_header", "`Croupier-Player` must be sent with an API key that made the player."
            )
        return
    if "HTTP_ORIGIN" in request.environ:
        raise Problem(
            "key_in_browser",
            "An API key must stay on your server: a page shows it to everyone who opens it. "
            "Give the page the token of a player or of a seat.",
        )
    for needed in (scope, "players" if is_acting else None):
        if needed is not None and needed not in key.scopes:
            raise Problem(
                "missing_scope",
                Text("This API key needs the scope `{scope}` for this request.", scope=needed),
            )


def check_access(services: Services, key: ApiKey | None) -> None:
    """Raise Problem if this service is open to API keys only, and the request has none."""
    if services.access == "keys" and key is None:
        raise Problem(
            "key_required",
            "This service creates games and players, imports games and gives advice for API keys only. "
            "Ask its operator for a key, and send it as `Authorization: Bearer key_…` from your server.",
        )


def find_acting_player(request: Request, services: Services) -> Player | None:
    """Return the player that the request's API key acts for; None if it names none. Raises Problem."""
    named = ACT_FOR_PLAYER.value(request)
    return None if named is None else require_player_of_key(services, named)


def require_player_of_key(services: Services, player_id: str) -> Player:
    """Return a player that the request's API key has made. Raises Problem `unknown_player`."""
    player = services.players.read(player_id)
    if player is None or g.api_key is None or player.key != g.api_key.id:
        raise Problem(
            "unknown_player", "This API key has made no player with this id, or the player was erased."
        )
    add_log_facts(player=player.id)
    return player


OTHER_GAME = Text(
    "This token does not belong to this game. Send the token that the reply to `POST /v1/games` or to "
    "`POST /v1/games/{game}/seats` had for your seat, or a player token."
)


def explain_token(request: Request, otherwise: str) -> str:
    """Return what is wrong with the form of the header; `otherwise` when nothing is."""
    scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "bearer x").partition(" ")
    if scheme.lower() != "bearer":
        wrong = (
            "Basic authentication is not supported." if scheme.lower() == "basic" else "`Bearer` is missing."
        )
        return Joined((Text(wrong), SEND_TOKEN), " ")
    if token.strip()[:1] in QUOTES and token.strip():
        return Text("Send the token without quotes or brackets around it: `Authorization: Bearer abc…`.")
    return otherwise if token.strip() else Joined((Text("The token is missing."), SEND_TOKEN), " ")


def find_viewer(request: Request, services: Services, game: str) -> SeatIdentity | Player | None:
    """Return the seat or the player that the token belongs to; None without a token.

    Raises Problem `unauthorized` for a wrong token, and UnknownGame instead when the game is private.
    """
    token = read_token(request)
    if token == "":
        # Told before any game is looked for: it is the same of one that is hidden and one that is not there.
        raise Problem("unauthorized", explain_token(request, SEND_TOKEN))
    try:
        return None if token is None else identify_token(request, services, game, token)
    except Problem:
        # That the token is wrong would tell that there is such a game.
        if services.games.codes.is_private(game):
            raise UnknownGame(game) from None
        raise


def identify_token(
    request: Request, services: Services, game: str, token: str
) -> SeatIdentity | Player | None:
    """Return the seat in the game, or the player without one; None for a key that acts for no player.

    Raises Problem `unauthorized`.
    """
    if g.api_key is not None:
        acting = find_acting_player(request, services)
        return find_at_table(request, services, game, acting, acting.credential) if acting else None
    player = _find_player(request, services, token) if looks_like_players(token) else None
    caller = find_at_table(request, services, game, player, credential_of(token))
    if caller is None:
        raise Problem("unauthorized", explain_token(request, OTHER_GAME))
    return caller


def find_at_table(
    request: Request, services: Services, game: str, player: Player | None, credential: str
) -> SeatIdentity | Player | None:
    """Return the seat that the token, given by its hash, opens in the game; else the player, or None."""
    if player is None:
        holder = services.games.find_holder(game, credential)
    else:
        holder = services.games.find_seat_of(game, player.id, credential)
    if holder is not None:
        add_log_facts(seat=holder.seat)
    return holder or player


def _identify_spectator(request: Request, services: Services, game: str) -> SeatIdentity | Player | None:
    """Return the viewer as `find_viewer` does.

    Raises UnknownGame, too, when the game is private and the viewer has no seat there and no watch code.
    """
    if _looks_on(request, services, game):
        return None
    return hide_private(services, game, find_viewer(request, services, game))


def _looks_on(request: Request, services: Services, game: str) -> bool:
    """Return whether the bearer token is the watch code of the game; False if it is something else.

    Raises UnknownGame for a watch code of another game if this one is private, else Problem.
    """
    token = read_token(request) or ""
    if not is_watch_code(token):
        return False
    if services.games.codes.is_watched_by(game, token):
        return True
    if services.games.codes.is_private(game):
        raise UnknownGame(game)
    raise Problem("unauthorized", "This watch code belongs to another game. Public games need none.")


def hide_private(
    services: Services, game: str, viewer: SeatIdentity | Player | None
) -> SeatIdentity | Player | None:
    """Return the viewer. Raises UnknownGame if the game is private and the viewer has no seat there."""
    if not isinstance(viewer, SeatIdentity) and services.games.codes.is_private(game):
        raise UnknownGame(game)
    return viewer


def require_seat(request: Request, services: Services, game: str) -> SeatIdentity:
    """Return the seat that the request's token belongs to.

    Raises UnknownGame when the game is private and the caller has no seat there, and Problem `unauthorized`
    or `not_seated` when there is no valid token or the player has no seat.
    """
    holder = _identify_spectator(request, services, game)
    if isinstance(holder, Player):
        raise Problem("not_seated", "This player has no seat in this game.")
    if holder is None:
        # By now the game is known to exist.
        raise Problem("unauthorized", Joined((Text("This needs the token of a seat."), SEND_TOKEN), " "))
    return holder


def require_seat_or_former(request: Request, services: Services, game: str) -> SeatIdentity | FormerSeat:
    """Return the seat as `require_seat` does; with an Idempotency-Key also a caller who has none.

    The first try of this request may have ended the seat, and this is its repeat.
    """
    try:
        return require_seat(request, services, game)
    except (Problem, UnknownGame) as refusal:
        token = read_token(request)
        if not token or IDEMPOTENCY_KEY.value(request) is None:
            raise
        player = find_acting_player(request, services) if g.api_key else services.players.find(token)
        credential = player.credential if player else credential_of(token)
        return FormerSeat(credential, player.id if player else "", refusal)


def find_player(request: Request, services: Services, game: str) -> Player | None:
    """Return the player; None without a token, or with a key that acts for none.

    Raises Problem for a token that is no player's.
    """
    if g.api_key is not None:
        return find_acting_player(request, services)
    token = read_token(request)
    return None if token is None else _find_player(request, services, token, Text("Or send no token."))


def require_player(request: Request, services: Services, game: str) -> Player:
    """Return the player that the token belongs to, or that the key acts for. Raises Problem."""
    token = read_token(request)
    if g.api_key is not None:
        acting = find_acting_player(request, services)
        if acting is None:
            raise Problem(
                "unauthorized", "Name the player that the API key acts for: `Croupier-Player: p_…`."
            )
        return acting
    if token is None:
        raise Problem(
            "unauthorized",
            Joined((Text("This needs a player token from `POST /v1/players`."), SEND_TOKEN), " "),
        )
    return _find_player(request, services, token)


def require_player_or_erased(request: Request, services: Services, game: str) -> Player | str:
    """Return the player as `require_player` does; with an Idempotency-Key else the hash of the token.

    The first try of this request may have ended the token; the handler finds out.
    """
    try:
        return require_player(request, services, game)
    except Problem:
        token = read_token(request) or ""
        if IDEMPOTENCY_KEY.value(request) is None or not looks_like_players(token):
            raise
        return credential_of(token)


def require_token(request: Request) -> str:
    """Return the bearer token, whatever it belongs to. Raises Problem `unauthorized` when there is none."""
    token = read_token(request)
    if token is None:
        raise Problem(
            "unauthorized", Joined((Text("This needs the token of a seat or of a player."), SEND_TOKEN), " ")
        )
    return token


# In place of the hash of a token: whoever has the ticket of a watch code sees what a spectator sees.
LOOKS_ON = "looks on"


class TicketOwner(Struct, frozen=True):
    """The hash of the caller's token, and the stream that it may open: of a game, or the player's own."""

    stream: str
    credential: str


def require_ticket_owner(request: Request, services: Services, game: str) -> TicketOwner:
    """Return who gets a ticket for the stream of the game, or without a game for the player's own stream.

    Raises as `require_seat` and `require_player` do: a caller without a right to the stream does
    not learn whether there is such a game.
    """
    token = require_token(request)
    if game and _looks_on(request, services, game):
        return TicketOwner(game, LOOKS_ON)
    if game:
        require_seat(request, services, game)
    else:
        require_player(request, services, game)
    acting = find_acting_player(request, services)
    return TicketOwner(game or MINE, acting.credential if acting else credential_of(token))


class AdviceSeeker(Struct, frozen=True):
    """Who asks for advice: the hash of their token, empty without one, and their seat in the game."""

    owner: str
    seat: SeatIdentity | None


def find_advice_seeker(request: Request, services: Services, game: str) -> AdviceSeeker:
    """Return who asks for advice. With a game, the token has to be one of a seat there.

    Raises as `require_seat` does.
    """
    owner = find_task_owner(request, services, game)
    if not game:
        return AdviceSeeker(owner, None)
    require_token(request)
    return AdviceSeeker(owner, require_seat(request, services, game))


def _explain_no_player(path: str, token: str) -> str:
    """Return what kind of token it is, which belongs to no player."""
    if looks_like_players(token):
        return Joined((Text("This player token is unknown or has been replaced."), BECOME_PLAYER), " ")
    if looks_like_seats(token):
        return Text("This is a seat token; `{path}` needs a player token from `POST /v1/players`.", path=path)
    return Joined((Text("This is not a player token."), BECOME_PLAYER), " ")


def _find_player(request: Request, services: Services, token: str, otherwise: str = "") -> Player:
    player = services.players.find(token)
    if player is None:
        wrong = _explain_no_player(request.path, token)
        raise Problem(
            "unauthorized", explain_token(request, Joined((wrong, otherwise), " ") if otherwise else wrong)
        )
    add_log_facts(player=player.id)
    return player


def find_task_owner(request: Request, services: Services, game: str) -> str:
    """Return the hash of the token, which opens the tasks that were ordered with it; empty without one."""
    if g.api_key is not None:
        return hash_token(f"{g.api_key.id}|{ACT_FOR_PLAYER.value(request) or ''}")
    token = read_token(request)
    return hash_token(token) if token else ""


BOTH_TOKENS = (SEAT_TOKEN, PLAYER_TOKEN, API_KEY)
PUBLIC_ACCESS: Access[None] = Access(skip_identification)
KEY_OPTIONAL: Access[None] = Access(skip_identification, (NO_TOKEN, API_KEY))
VIEWER_OPTIONAL: Access[SeatIdentity | Player | None] = Access(
    find_viewer, (NO_TOKEN, *BOTH_TOKENS), ("unauthorized",)
)
SPECTATOR_ALLOWED: Access[SeatIdentity | Player | None] = Access(
    _identify_spectator, (NO_TOKEN, *BOTH_TOKENS, WATCH_CODE), ("unauthorized",)
)
SEAT_REQUIRED: Access[SeatIdentity] = Access(require_seat, BOTH_TOKENS, ("unauthorized", "not_seated"))
PLAYER_OPTIONAL: Access[Player | None] = Access(
    find_player, (NO_TOKEN, PLAYER_TOKEN, API_KEY), ("unauthorized",)
)
TICKET_OWNER: Access[TicketOwner] = Access(
    require_ticket_owner,
    (*SEAT_REQUIRED.security, WATCH_CODE),
    SEAT_REQUIRED.errors,
    game_in_body=True,
    check_first=require_token,
)
TASK_OWNER: Access[str] = Access(find_task_owner, (NO_TOKEN, *BOTH_TOKENS))
ADVICE_SEEKER: Access[AdviceSeeker] = Access(
    find_advice_seeker, TASK_OWNER.security, SEAT_REQUIRED.errors, game_in_body=True
)
SEAT_OR_FORMER_SEAT: Access[SeatIdentity | FormerSeat] = Access(
    require_seat_or_former, SEAT_REQUIRED.security, SEAT_REQUIRED.errors
)
PLAYER_REQUIRED: Access[Player] = Access(require_player, (PLAYER_TOKEN, API_KEY), ("unauthorized",))
PLAYER_OR_ERASED: Access[Player | str] = Access(
    require_player_or_erased, PLAYER_REQUIRED.security, PLAYER_REQUIRED.errors
)


PARAMETER = "ticket"
WITH_TICKET: Mapping[str, list[str]] = {PARAMETER: []}
_read_media = media_reader(JSON, NDJSON, SSE)
_ENDED = (
    "This ticket was already used, has expired, or is for another stream. "
    "Get a new one from `POST /v1/tickets`, and continue with `after`."
)


def _identify_follower(request: Request, services: Services, game: str) -> SeatIdentity | Player | None:
    """Return the viewer that the ticket was issued for; without a ticket as for any reader of the game.

    Raises Problem and UnknownGame.
    """
    credential = _look_up(request, services, game)
    if credential is None:
        return SPECTATOR_ALLOWED.identify(request, services, game)
    if credential == LOOKS_ON:
        return None
    player = services.players.find_by_credential(credential)
    viewer = find_at_table(request, services, game, player, credential)
    if viewer is None:
        raise Problem("unauthorized", _ENDED)
    return hide_private(services, game, viewer)


def require_stream_player(request: Request, services: Services, game: str) -> Player:
    credential = _look_up(request, services, MINE)
    if credential is None:
        return PLAYER_REQUIRED.identify(request, services, game)
    player = services.players.find_by_credential(credential)
    if player is None:
        raise Problem("unauthorized", _ENDED)
    add_log_facts(player=player.id)
    return player


class FeedReader(Struct, frozen=True):
    """Who reads a feed: a player, an API key, or everybody.

    `name` is what `Feeds.read` calls the reader. `is_welcome` says whether the token is still valid.
    """

    name: str
    is_welcome: Callable[[], bool]


def find_feed_reader(request: Request, services: Services, game: str) -> FeedReader:
    """Return whose feed the request reads: that of the player, of the API key, or of all public games.

    Raises Problem for a token that is neither a player's nor an API key.
    """
    token = read_token(request)
    if _read_ticket(request) is None and token is None:
        return FeedReader(PUBLIC, lambda: True)
    if g.api_key is not None and ACT_FOR_PLAYER.value(request) is None:
        return FeedReader(g.api_key.id, lambda: services.api_keys.find(token or "") is not None)
    player = require_stream_player(request, services, game)
    return FeedReader(player.id, lambda: services.players.is_current(player.id, player.credential))


def _look_up(request: Request, services: Services, opens: str) -> str | None:
    """Return the hash of the token that the ticket was issued for; None without a ticket. Raises Problem."""
    shown = _read_ticket(request)
    if shown is None:
        return None
    _check_use(request)
    credential = services.tickets.look_up(opens, shown)
    if credential is None:
        raise Problem("unauthorized", _ENDED)
    return credential


def use_up_ticket(request: Request, services: Services, opens: str) -> None:
    """Use the ticket up, for a stream that is about to begin. Raises Problem when it was used before."""
    shown = None if request.method == "HEAD" else _read_ticket(request)
    if shown is not None and not services.tickets.use_up(opens, shown):
        raise Problem("unauthorized", _ENDED)


def _read_ticket(request: Request) -> str | None:
    return request.args.get(PARAMETER) if request.query_string else None


def _check_use(request: Request) -> None:
    """Raise Problem if a ticket is sent together with a token, or not for an event stream."""
    if "HTTP_AUTHORIZATION" in request.environ:
        raise Problem("unauthorized", "Send either the ticket or the `Authorization` header, not both.")
    if _read_media(request) != SSE:
        how = Text(
            "A ticket opens a stream only. Send `Accept: {media}`, or send the token in a header.", media=SSE
        )
        raise Problem("unauthorized", how)


STREAM_VIEWER: Access[SeatIdentity | Player | None] = Access(
    _identify_follower, (*SPECTATOR_ALLOWED.security, WITH_TICKET), SPECTATOR_ALLOWED.errors
)
FEED_READER: Access[FeedReader] = Access(
    find_feed_reader, (NO_TOKEN, *PLAYER_REQUIRED.security, WITH_TICKET), PLAYER_REQUIRED.errors
)
STREAM_PLAYER: Access[Player] = Access(
    require_stream_player, (*PLAYER_REQUIRED.security, WITH_TICKET), PLAYER_REQUIRED.errors
)
