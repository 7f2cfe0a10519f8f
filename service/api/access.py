"""Who may call an operation, and how the caller is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from flask import Request
from msgspec import Struct

from service.api.envelope import log_facts
from service.api.problems import Problem
from service.api.services import Services
from service.play.branches import Holder
from service.play.snapshots import UnknownGame
from service.play.tokens import hash_token
from service.players.credentials import looks_like_players
from service.players.players import Player

Caller = TypeVar("Caller")
Security = tuple[Mapping[str, list[str]], ...]
SEAT_TOKEN: Mapping[str, list[str]] = {"seat": []}
PLAYER_TOKEN: Mapping[str, list[str]] = {"player": []}
NO_TOKEN: Mapping[str, list[str]] = {}
SEND_TOKEN = "send the header `Authorization: Bearer <token>`"


class Access(Struct, Generic[Caller], frozen=True):
    """`identify` says who calls, and refuses who may not; `security` is how the contract puts it."""

    identify: Callable[[Request, Services, str], Caller]
    security: Security = ()
    refusals: tuple[str, ...] = ()


def _identify_nobody(request: Request, services: Services, game: str) -> None:
    return None


def read_token(request: Request) -> str | None:
    """None where the request has none; empty where it is none of the kind we know."""
    given = request.environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    scheme, _, token = given.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def explain_token(request: Request, otherwise: str) -> str:
    """What is wrong with how a token is sent, if anything is; else what is wrong with the token."""
    scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "bearer x").partition(" ")
    if scheme.lower() != "bearer":
        wrong = "Basic is not understood" if scheme.lower() == "basic" else "the word Bearer is missing"
        return f"{wrong}; {SEND_TOKEN}"
    return otherwise if token.strip() else f"the token is missing; {SEND_TOKEN}"


def _identify_viewer(request: Request, services: Services, game: str) -> Holder | Player | None:
    """Whoever holds the token; None for a spectator. Raises UnknownGame, and Problem for a wrong token."""
    token = read_token(request)
    return None if token is None else identify_token(request, services, game, token)


def identify_token(request: Request, services: Services, game: str, token: str) -> Holder | Player:
    """Who is at the table, or a player who is not."""
    player = _find_player(request, services, token) if looks_like_players(token) else None
    caller = find_at_table(request, services, game, player, hash_token(token))
    if caller is None:
        raise Problem("unauthorized", explain_token(request, "this is no token of this game"))
    return caller


def find_at_table(
    request: Request, services: Services, game: str, player: Player | None, credential: str
) -> Holder | Player | None:
    """Whoever the hash of a token stands for, a player's or that of a seat."""
    if player is None:
        holder = services.games.find_holder(game, credential)
    else:
        holder = services.games.find_seat_of(game, player.id, credential)
    if holder is not None:
        log_facts(request.environ, seat=holder.seat)
    return holder or player


def _identify_spectator(request: Request, services: Services, game: str) -> Holder | Player | None:
    """The same; whoever has no seat at a private game is told that there is none."""
    return hide_private(services, game, _identify_viewer(request, services, game))


def hide_private(services: Services, game: str, viewer: Holder | Player | None) -> Holder | Player | None:
    if not isinstance(viewer, Holder) and services.games.codes.is_private(game):
        raise UnknownGame(game)
    return viewer


def _identify_seat(request: Request, services: Services, game: str) -> Holder:
    """The holder of a seat's token. Raises as above, and Problem for want of a token or of a seat."""
    holder = _identify_spectator(request, services, game)
    if isinstance(holder, Player):
        raise Problem("not_seated", "this player does not sit in this game")
    if holder is None:
        # A game that is not there was said to be so before anybody is asked for its token.
        raise Problem("unauthorized", f"this needs the token of a seat; {SEND_TOKEN}")
    return holder


def _identify_founder(request: Request, services: Services, game: str) -> Player | None:
    """A player; whatever else is shown opens no door here, as long as it does not claim to be a player's."""
    token = read_token(request) or ""
    return _find_player(request, services, token) if looks_like_players(token) else None


def _identify_player(request: Request, services: Services, game: str) -> Player:
    """Raises Problem where no player's token is shown."""
    token = read_token(request)
    if token is None:
        raise Problem("unauthorized", f"this needs a player's token, from POST /v1/players; {SEND_TOKEN}")
    return _find_player(request, services, token)


def _identify_bearer(request: Request, services: Services, game: str) -> str:
    """A token of whatever kind, which the handler has to look up. Raises Problem where there is none."""
    token = read_token(request)
    if token is None:
        raise Problem("unauthorized", f"this needs the token of a seat or a player; {SEND_TOKEN}")
    return token


def _find_player(request: Request, services: Services, token: str) -> Player:
    player = services.players.find(token)
    if player is None:
        raise Problem("unauthorized", explain_token(request, "this is no player's token, or no longer"))
    log_facts(request.environ, player=player.id)
    return player


BOTH_TOKENS = (SEAT_TOKEN, PLAYER_TOKEN)
ANYBODY: Access[None] = Access(_identify_nobody)
COMERS: Access[Holder | Player | None] = Access(_identify_viewer, (NO_TOKEN, *BOTH_TOKENS), ("unauthorized",))
SPECTATORS: Access[Holder | Player | None] = Access(
    _identify_spectator, (NO_TOKEN, *BOTH_TOKENS), ("unauthorized",)
)
SEATS: Access[Holder] = Access(_identify_seat, BOTH_TOKENS, ("unauthorized", "not_seated"))
FOUNDERS: Access[Player | None] = Access(_identify_founder, (NO_TOKEN, PLAYER_TOKEN), ("unauthorized",))
BEARERS: Access[str] = Access(_identify_bearer, BOTH_TOKENS, ("unauthorized", "not_seated"))
PLAYERS: Access[Player] = Access(_identify_player, (PLAYER_TOKEN,), ("unauthorized",))
