"""Players: one name and one token for all of somebody's games."""

from __future__ import annotations

from msgspec import Struct

from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.operation import operation
from service.api.problems import Problem
from service.api.replies import Reply
from service.api.schemas import NewPlayer
from service.play.idempotency import identify_request
from service.play.keys import ANONYMOUS, WeakKey, is_weak


class PlayerReply(Struct, frozen=True):
    """The token is shown this once, and opens every game where the player sits."""

    id: str
    name: str
    token: str


class ProfileReply(Struct, frozen=True):
    """What everybody may know of a player."""

    id: str
    name: str


@operation(
    "POST /v1/players",
    "Become a player: one name and one token for all games",
    PlayerReply,
    access=ANYBODY,
    status=201,
    body=NewPlayer,
    headers=(LONG_KEY,),
    refusals=("unavailable",),
)
def create_player(call: Call[None]) -> Reply:
    name = call.body["name"]
    if is_weak(ANONYMOUS, call.key):
        raise WeakKey
    welcome = call.services.players.create(name, identify_request("player", call.key, name))
    player = welcome.player
    reply = PlayerReply(player.id, player.name, welcome.token)
    return Reply(reply, location=f"/v1/players/{player.id}", replayed=welcome.replayed)


@operation(
    "GET /v1/players/{player}",
    "What everybody may know of a player",
    ProfileReply,
    access=ANYBODY,
    refusals=("unknown_player", "unavailable"),
)
def show_player(call: Call[None]) -> Reply:
    player = call.services.players.read(call.path["player"])
    if player is None:
        raise Problem("unknown_player", "there is no such player, or no longer")
    return Reply(ProfileReply(player.id, player.name))
