"""What a player does about themselves."""

from __future__ import annotations

from flask import Response
from msgspec import Struct

from events.values import Moment
from service.api.access import BECOME_PLAYER, FORMER_PLAYERS, PLAYERS
from service.api.calls import Call
from service.api.headers import ERASURE_KEY, MY_KEY, ROTATION_KEY
from service.api.operation import operation
from service.api.player_schemas import NewPlayer
from service.api.problems import Problem
from service.api.rate_limits import PLAYING
from service.api.replies import REPLAYED, Reply
from service.api.resources.players import PlayerReply
from service.play.keys import ANONYMOUS, WeakKey, is_weak
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
    headers=(MY_KEY,),
    refusals=("unavailable",),
    kind=PLAYING,
)
def rename_me(call: Call[Player]) -> Reply:
    name = call.body["name"]
    renamed = call.services.player_changes.rename(call.caller, name, call.key)
    if renamed is None:
        raise _ended()
    return Reply(MeReply(call.caller.id, name, call.caller.created), replayed=renamed.replayed)


@operation(
    "DELETE /v1/me",
    "Be erased: the name is gone from every reply, the token ends, and every seat is left for good",
    {},
    access=FORMER_PLAYERS,
    status=204,
    headers=(ERASURE_KEY,),
    refusals=("unavailable",),
    kind=PLAYING,
)
def erase_me(call: Call[Player | str]) -> Response:
    changes, caller = call.services.player_changes, call.caller
    games = changes.erase(caller, call.key) if isinstance(caller, Player) else None
    if isinstance(caller, Player) and games is not None:
        # What is not left now is noted, and the reconciler sees to it.
        call.services.partings.leave_at_once(caller.id, games)
        return Response(status=204)
    if not changes.was_erased(_credential(caller), call.key):
        raise _ended()
    return Response(status=204, headers=REPLAYED)


@operation(
    "POST /v1/me/token",
    "A new token; the old one ends at once, and so do streams that were opened with it",
    PlayerReply,
    access=FORMER_PLAYERS,
    status=201,
    headers=(ROTATION_KEY,),
    refusals=("unavailable",),
    kind=PLAYING,
)
def change_token(call: Call[Player | str]) -> Reply:
    """Whoever has stolen the old token and guesses the key would have the new one, too."""
    changes, caller = call.services.player_changes, call.caller
    if is_weak(ANONYMOUS, call.key):
        raise WeakKey
    change = changes.change_token(caller, call.key) if isinstance(caller, Player) else None
    changed = change or changes.find_rotation(_credential(caller), call.key)
    if changed is None:
        raise _ended()
    reply = PlayerReply(changed.player.id, changed.player.name, changed.token)
    return Reply(reply, location=f"/v1/players/{changed.player.id}", replayed=changed.replayed)


def _credential(caller: Player | str) -> str:
    return caller.credential if isinstance(caller, Player) else caller


def _me_reply(player: Player) -> MeReply:
    return MeReply(player.id, player.name, player.created)


def _ended() -> Problem:
    """Another request was faster, or this is no repeat of the one that ended it."""
    return Problem("unauthorized", f"this is no player's token, or no longer; {BECOME_PLAYER}")
