"""Who opens a stream with a ticket in its address, where everybody else sends a token in a header."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Request

from service.api.access import PLAYERS, SPECTATORS, Access, find_at_table, hide_private
from service.api.envelope import log_facts
from service.api.media_types import JSON, NDJSON, SSE, media_reader
from service.api.problems import Problem
from service.api.services import Services
from service.play.branches import Holder
from service.players.players import Player
from service.players.tickets import MINE

PARAMETER = "ticket"
WITH_TICKET: Mapping[str, list[str]] = {PARAMETER: []}
_read_media = media_reader(JSON, NDJSON, SSE)
_ENDED = (
    "this ticket was used, is older than a minute, opens another stream, or its token has ended: "
    "get a new one from POST /v1/tickets, and go on with `after`"
)


def _identify_follower(request: Request, services: Services, game: str) -> Holder | Player | None:
    """As with the token that the ticket was issued for. Raises Problem and UnknownGame."""
    credential = _look_up(request, services, game)
    if credential is None:
        return SPECTATORS.identify(request, services, game)
    player = services.players.find_by_hash(credential)
    viewer = find_at_table(request, services, game, player, credential)
    if viewer is None:
        raise Problem("unauthorized", _ENDED)
    return hide_private(services, game, viewer)


def _identify_myself(request: Request, services: Services, game: str) -> Player:
    credential = _look_up(request, services, MINE)
    if credential is None:
        return PLAYERS.identify(request, services, game)
    player = services.players.find_by_hash(credential)
    if player is None:
        raise Problem("unauthorized", _ENDED)
    log_facts(request.environ, player=player.id)
    return player


def _look_up(request: Request, services: Services, opens: str) -> str | None:
    """The hash of the token behind the ticket; None where none is shown. Raises Problem."""
    shown = _read_ticket(request)
    if shown is None:
        return None
    _check_use(request)
    credential = services.tickets.look_up(opens, shown)
    if credential is None:
        raise Problem("unauthorized", _ENDED)
    return credential


def use_up_ticket(request: Request, services: Services, opens: str) -> None:
    """For a stream that is about to begin; nothing else costs the ticket. Raises Problem."""
    shown = None if request.method == "HEAD" else _read_ticket(request)
    if shown is not None and not services.tickets.use_up(opens, shown):
        raise Problem("unauthorized", _ENDED)


def _read_ticket(request: Request) -> str | None:
    return request.args.get(PARAMETER) if request.query_string else None


def _check_use(request: Request) -> None:
    """Raises Problem."""
    if "HTTP_AUTHORIZATION" in request.environ:
        raise Problem("unauthorized", "send the ticket or the header Authorization, not both")
    if _read_media(request) != SSE:
        how = f"a ticket opens a stream only: send `Accept: {SSE}`, or for pages the token in a header"
        raise Problem("unauthorized", how)


FOLLOWERS: Access[Holder | Player | None] = Access(
    _identify_follower, (*SPECTATORS.security, WITH_TICKET), SPECTATORS.refusals
)
MYSELF: Access[Player] = Access(_identify_myself, (*PLAYERS.security, WITH_TICKET), PLAYERS.refusals)
