"""What a player does about themselves."""

from __future__ import annotations

from flask import Response
from msgspec import Struct

from events.values import Moment
from service.api.access import PLAYERS
from service.api.calls import Call
from service.api.operation import operation
from service.api.player_schemas import NewPlayer
from service.api.problems import Problem
from service.api.rate_limits import PLAYING
from service.api.replies import Reply
from service.api.resources.players import PlayerReply
from service.players.players import Player


class MeReply(Struct, frozen=True):
    id: str
    name: str
    created: Moment


@operation("GET /v1/me", "Who I am", MeReply, access=PLAYERS, refusals=("unavailable",))
def show_me(call: Call[Player]) -> Reply:
    return Reply(_me_reply(call.caller))


@operation(
    "PATCH /v1/me",
    "Be called otherwise",
    MeReply,
    access=PLAYERS,
    body=NewPlayer,
    refusals=("unavailable",),
    kind=PLAYING,
)
def rename_me(call: Call[Player]) -> Reply:
    name = call.body["name"]
    if not call.services.players.rename(call.caller, name):
        raise _ended()
    return Reply(MeReply(call.caller.id, name, call.caller.created))


@operation(
    "DELETE /v1/me",
    "Be erased: the name is gone from every reply, and the token ends",
    {},
    access=PLAYERS,
    status=204,
    refusals=("unavailable",),
    kind=PLAYING,
)
def erase_me(call: Call[Player]) -> Response:
    if not call.services.players.erase(call.caller):
        raise _ended()
    return Response(status=204)


@operation(
    "POST /v1/me/token",
    "A new token; the old one ends at once, and so do streams that were opened with it",
    PlayerReply,
    access=PLAYERS,
    status=201,
    refusals=("unavailable",),
    kind=PLAYING,
)
def change_token(call: Call[Player]) -> Reply:
    token = call.services.players.change_token(call.caller)
    if token is None:
        raise _ended()
    return Reply(PlayerReply(call.caller.id, call.caller.name, token))


def _me_reply(player: Player) -> MeReply:
    return MeReply(player.id, player.name, player.created)


def _ended() -> Problem:
    """Another request was faster."""
    return Problem("unauthorized", "this token has just ended")
