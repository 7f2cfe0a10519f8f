"""Sitting down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from events.values import GameId
from rules.rejection import Reason, Rejected
from rules.state import Status
from service.api.access import COMERS
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.inputs import bad_body
from service.api.operation import operation
from service.api.problems import SEAT_REFUSALS, Fault, explain_rejection
from service.api.rate_limits import SITTING
from service.api.replies import Reply
from service.api.rows import list_at_once
from service.api.schemas import SitDown
from service.play.branches import Holder
from service.play.seating import Seating
from service.players.names import Names
from service.players.players import Player


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
    access=COMERS,
    status=201,
    body=SitDown,
    kind=SITTING,
    headers=(LONG_KEY,),
    refusals=(*SEAT_REFUSALS, "unknown_rules"),
)
def take_seat(call: Call[Holder | Player | None]) -> Reply:
    player, games = call.player, call.services.games
    if not isinstance(call.caller, Holder):
        games.codes.check(call.game, call.body["code"])
    name = "" if player else _read_name(call.body)
    entropy, seat = call.body["entropy"], call.body.get("seat")
    about = (player.id, player.name_commitment) if player else ("", "")
    try:
        seated = games.sit(call.game, name, entropy, call.key, seat, call.branch, call.sender, *about)
    except Rejected as rejected:
        errors = [Fault(rejected.detail, "/seat")] if rejected.reason is Reason.UNKNOWN_SEAT else []
        raise explain_rejection(rejected, errors=errors) from None
    if not seated.replayed:
        list_at_once(call.services, call.game)
    reply = _sat_reply(seated, call.services.names)
    return Reply(reply, seated.version, f"/v1/games/{call.game}", seated.replayed)


def _read_name(body: Mapping[str, Any]) -> str:
    """Raises Problem."""
    if "name" not in body:
        fault = Fault("it is missing; only a player's token makes up for it", "/name")
        raise bad_body([fault])
    return str(body["name"])


def _sat_reply(seated: Seating, names: Names) -> SatReply:
    (seat,) = seated.seats
    taken = names.name_seats(seated.state).seats[seat]
    token, player = seated.tokens.get(seat, UNSET), taken.player or UNSET
    return SatReply(seated.game, seated.version, seated.state.status, seat, taken.name or "", token, player)
