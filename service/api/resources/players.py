"""Players: one name and one token for all of somebody's games."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from rules.editions import EDITIONS
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.operation import operation
from service.api.player_schemas import NewPlayer
from service.api.problems import Problem
from service.api.replies import Reply
from service.play.idempotency import identify_request
from service.play.keys import ANONYMOUS, WeakKey, is_weak


class PlayerReply(Struct, frozen=True):
    """The token is shown this once, and opens every game where the player sits."""

    id: str
    name: str
    token: str


class GameCounts(Struct, frozen=True):
    """How many games the player sits in, by their status."""

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
    counts = call.services.player_reading.counts(player.id)
    games = GameCounts(*(counts.get(status, 0) for status in GameCounts.__struct_fields__))
    return Reply(ProfileReply(player.id, player.name, games, _results(counts)))


def _results(counts: Mapping[str, int]) -> tuple[Result, ...]:
    finished = ((name, counts.get(f"finished:{name}", 0)) for name in EDITIONS.newest)
    return tuple(Result(name, games, counts.get(f"won:{name}", 0)) for name, games in finished if games)
