"""Going, coming back, and ending a game before its end."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from events.chain import redact_commit
from events.types import Event
from rules.rejection import Reason
from service.api.access import LEAVERS, SEATS, Gone
from service.api.calls import Call
from service.api.headers import IDEMPOTENCY_KEY
from service.api.operation import operation
from service.api.problems import LOBBY_REFUSALS
from service.api.replies import Reply
from service.api.rows import list_at_once
from service.api.seat_schemas import LeaveTable, NothingToSay, StartTable, VoidGame
from service.play import due
from service.play.branches import Holder
from service.play.departures import Settled
from service.play.table_types import TableShown
from service.play.tables import render_snapshot


class SettledReply(Struct, frozen=True):
    """What the call caused, nothing where it was so before, and the table after it."""

    version: int
    events: tuple[Event, ...]
    table: TableShown


@operation(
    "POST /v1/games/{game}/leave",
    "Leave: in the lobby the seat is open again and its token ends; in play a bot answers until you return",
    SettledReply,
    access=LEAVERS,
    body=LeaveTable,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    refusals=(Reason.GAME_OVER, Reason.UNKNOWN_SEAT, Reason.TOO_OFTEN, "unknown_rules"),
)
def leave_table(call: Call[Holder | Gone]) -> Reply:
    departures, for_good, caller = call.services.games.departures, call.body["for_good"], call.caller
    if isinstance(caller, Holder):
        settled = departures.leave(call.game, caller.seat, for_good, call.key, call.branch)
        return _reply(call, settled, caller.seat)
    left = departures.find_left(call.game, caller.credential, caller.player, for_good, call.key)
    if left is None:
        raise caller.refusal
    return _reply(call, left.settled, left.seat)


@operation(
    "POST /v1/games/{game}/return",
    "Come back: from now on no bot answers for the seat; answering an ask does the same",
    SettledReply,
    access=SEATS,
    body=NothingToSay,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    refusals=(Reason.GAME_OVER, Reason.UNKNOWN_SEAT, "unknown_rules"),
)
def return_to_table(call: Call[Holder]) -> Reply:
    come_back, seat = call.services.games.departures.come_back, call.caller.seat
    return _reply(call, come_back(call.game, seat, call.key, call.branch), seat)


@operation(
    "POST /v1/games/{game}/start",
    "Start an open table with bots in the empty seats; for its host",
    SettledReply,
    access=SEATS,
    body=StartTable,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    refusals=(*LOBBY_REFUSALS, "unknown_rules"),
)
def start_game(call: Call[Holder]) -> Reply:
    start, seat = call.services.games.departures.start, call.caller.seat
    return _reply(call, start(call.game, seat, call.body["bot"], call.key, call.branch), seat)


@operation(
    "POST /v1/games/{game}/cancel",
    "Call off a game that has not started; for its host",
    SettledReply,
    access=SEATS,
    body=NothingToSay,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    refusals=(*LOBBY_REFUSALS, "unknown_rules"),
)
def cancel_game(call: Call[Holder]) -> Reply:
    cancel, seat = call.services.games.departures.cancel, call.caller.seat
    return _reply(call, cancel(call.game, seat, call.key, call.branch), seat)


@operation(
    "POST /v1/games/{game}/void",
    "Consent to end the game without winners, or take that back; it ends when all people consent",
    SettledReply,
    access=SEATS,
    body=VoidGame,
    body_optional=True,
    headers=(IDEMPOTENCY_KEY,),
    refusals=(
        *(Reason.GAME_OVER, Reason.NOT_STARTED, Reason.UNKNOWN_SEAT, Reason.TOO_OFTEN),
        "unknown_rules",
    ),
)
def void_game(call: Call[Holder]) -> Reply:
    vote, seat = call.services.games.departures.vote, call.caller.seat
    return _reply(call, vote(call.game, seat, call.body["agrees"], call.key, call.branch), seat)


def _reply(call: Call[Any], settled: Settled, seat: int) -> Reply:
    state, commit = settled.snapshot.state, settled.commit
    if not settled.replayed:
        list_at_once(call.services, call.game)
    if due.bots_due(state) and not settled.replayed:
        call.services.nudges.put_in_lane(call.game)
    # Whoever has given up the seat sees what everybody sees.
    viewer = call.seat if state.seats[seat].is_person else None
    shown = redact_commit(commit, viewer, state.status == "over").events if commit else ()
    table = render_snapshot(call.services.names.put_into(settled.snapshot), viewer)
    return Reply(
        SettledReply(settled.snapshot.version, shown, table),
        settled.snapshot.version,
        replayed=settled.replayed,
    )
