"""Tickets for browsers, whose `EventSource` cannot send a token."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from events.values import Moment
from service.api.access import BEARERS, PLAYERS, SEATS
from service.api.calls import Call
from service.api.headers import TICKET_KEY
from service.api.operation import operation
from service.api.rate_limits import STREAMING
from service.api.replies import Reply
from service.api.ticket_schemas import NewTicket
from service.play.tokens import hash_token
from service.players.tickets import MINE, TICKET

TicketText = Annotated[str, Meta(extra_json_schema={"pattern": f"^{TICKET.pattern}$"})]


class TicketReply(Struct, frozen=True):
    """`ticket` goes into the address of a stream, `?ticket=…`, once and before it `expires`.

    A stream that was cut is opened anew with another ticket, and `after` the last id.
    """

    ticket: TicketText
    expires: Moment


@operation(
    "POST /v1/tickets",
    "A ticket that opens one stream, once, within 60 seconds",
    TicketReply,
    access=BEARERS,
    status=201,
    body=NewTicket,
    headers=(TICKET_KEY,),
    refusals=("unknown_game", "unavailable", "broken_log"),
    kind=STREAMING,
)
def create_ticket(call: Call[str]) -> Reply:
    """Whoever could open the stream with the token gets one, and nobody else learns that there is a game."""
    opens = call.body.get("game", MINE)
    identify = PLAYERS.identify if opens == MINE else SEATS.identify
    identify(call.request, call.services, opens)
    issued = call.services.tickets.issue(opens, hash_token(call.caller), call.key)
    return Reply(TicketReply(issued.ticket, issued.expires), replayed=issued.replayed)
