"""Sitting down."""

from __future__ import annotations

from msgspec import Struct

from rules.rejection import Reason, Rejected
from rules.state import Status
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.headers import LONG_KEY
from service.api.operation import operation
from service.api.problems import SEAT_REFUSALS, Fault, explain_rejection
from service.api.replies import Reply
from service.api.schemas import SitDown
from service.play.branches import Holder
from service.play.seating import Seating


class SatReply(Struct, frozen=True):
    """The token is shown this once."""

    id: str
    version: int
    status: Status
    seat: int
    name: str
    token: str


@operation(
    "POST /v1/games/{game}/seats",
    "Take an open seat",
    SatReply,
    access=SPECTATORS,
    status=201,
    body=SitDown,
    headers=(LONG_KEY,),
    refusals=(*SEAT_REFUSALS, "unknown_rules"),
)
def take_seat(call: Call[Holder | None]) -> Reply:
    name, entropy, seat = call.body["name"], call.body["entropy"], call.body.get("seat")
    try:
        seated = call.services.games.sit(call.game, name, entropy, call.key, seat, call.branch, call.sender)
    except Rejected as rejected:
        errors = [Fault(rejected.detail, "/seat")] if rejected.reason is Reason.UNKNOWN_SEAT else []
        raise explain_rejection(rejected, errors=errors) from None
    return Reply(_sat_reply(seated), seated.version, f"/v1/games/{call.game}", seated.replayed)


def _sat_reply(seated: Seating) -> SatReply:
    ((seat, token),) = seated.tokens.items()
    name = seated.state.seats[seat].name or ""
    return SatReply(seated.game, seated.version, seated.state.status, seat, name, token)
