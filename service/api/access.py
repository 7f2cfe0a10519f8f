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

Caller = TypeVar("Caller")
Security = tuple[Mapping[str, list[str]], ...]
SEAT_TOKEN: Mapping[str, list[str]] = {"seat": []}
NO_TOKEN: Mapping[str, list[str]] = {}


class Access(Struct, Generic[Caller], frozen=True):
    """`identify` says who calls, and refuses who may not; `security` is how the contract puts it."""

    identify: Callable[[Request, Services, str], Caller]
    security: Security = ()
    refusals: tuple[str, ...] = ()


def _identify_nobody(request: Request, services: Services, game: str) -> None:
    return None


def _identify_viewer(request: Request, services: Services, game: str) -> Holder | None:
    """Whoever holds the token; None for a spectator. Raises UnknownGame, and Problem for a wrong token."""
    given = request.environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    scheme, _, token = given.partition(" ")
    holder = services.games.find_holder(game, token.strip() if scheme.lower() == "bearer" else "")
    if holder is None:
        raise Problem("unauthorized", "this is no token of this game")
    log_facts(request.environ, seat=holder.seat)
    return holder


def _identify_seat(request: Request, services: Services, game: str) -> Holder:
    """The holder of a seat's token. Raises as above, and Problem for want of a token."""
    holder = _identify_viewer(request, services, game)
    if holder is None:
        # A game that is not there is said to be so before anybody is asked for its token.
        services.games.snapshot(game)
        raise Problem("unauthorized", "an answer needs the token of a seat")
    return holder


ANYBODY: Access[None] = Access(_identify_nobody)
SPECTATORS: Access[Holder | None] = Access(_identify_viewer, (NO_TOKEN, SEAT_TOKEN), ("unauthorized",))
SEATS: Access[Holder] = Access(_identify_seat, (SEAT_TOKEN,), ("unauthorized",))
