"""Answering what the table asks."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from events.chain import redact_commit
from events.types import Event
from rules.legal import legal
from rules.rejection import Reason, Rejected
from rules.state import State
from rules.view import view
from service.api.access import SEATS
from service.api.calls import Call
from service.api.headers import IDEMPOTENCY_KEY, IF_MATCH
from service.api.operation import operation
from service.api.problems import CHOICE_REFUSALS, Problem, explain_rejection
from service.api.replies import Reply
from service.api.schemas import Choice
from service.play import due
from service.play.branches import Holder
from service.play.table_types import AskShown, TableShown
from service.play.tables import render_snapshot
from service.play.writer import Outcome
from service.players.names import Names

# The refusals that do not say themselves what is asked now.
OTHER_ASK = (Reason.UNKNOWN_ASK, Reason.ALREADY_ANSWERED)


class ChoiceReply(Struct, frozen=True):
    """What the answer caused, the table after it, and what the caller is asked now."""

    version: int
    events: tuple[Event, ...]
    table: TableShown
    asks: tuple[AskShown, ...]


@operation(
    "POST /v1/games/{game}/choices",
    "Answer an ask with one of its options",
    ChoiceReply,
    access=SEATS,
    body=Choice,
    headers=(IDEMPOTENCY_KEY, IF_MATCH),
    refusals=(*CHOICE_REFUSALS, "unknown_rules"),
)
def choose(call: Call[Holder]) -> Reply:
    ask, choice, if_version = call.body["ask"], call.body["choice"], _expected_version(call)
    try:
        outcome = call.services.games.choose(
            call.game,
            call.caller.seat,
            ask,
            choice,
            call.key,
            if_version=if_version,
            branch=call.branch,
        )
    except Rejected as rejected:
        raise _explain(rejected, call) from None
    if due.bots_due(outcome.state) and not outcome.replayed:
        call.services.nudges.put_in_lane(call.game)
    reply = _choice_reply(outcome, call.caller.seat, call.services.names)
    tag = call.tag(outcome.version, outcome.snapshot.head)
    return Reply(reply, tag, replayed=outcome.replayed)


def _choice_reply(outcome: Outcome, seat: int, names: Names) -> ChoiceReply:
    commit = redact_commit(outcome.commit, seat, outcome.state.status == "over")
    table = render_snapshot(names.put_into(outcome.snapshot), seat)
    asks = tuple(ask for ask in table.asks if ask.yours)
    return ChoiceReply(outcome.version, commit.events, table, asks)


def _explain(rejected: Rejected, call: Call[Holder]) -> Problem:
    """The refusal with what could be answered instead."""
    snapshot, seat = call.services.games.snapshot(call.game, branch=call.branch), call.caller.seat
    options = legal(view(call.services.names.put_into(snapshot).state, seat), seat)
    problem = explain_rejection(rejected, version=snapshot.version, options=options or None)
    if rejected.reason in OTHER_ASK:
        problem.detail += _tell_awaited(snapshot.state)
    if rejected.reason is Reason.ILLEGAL_CHOICE and options:
        problem.detail += f"; send the `choice` of one of them, such as {options[0].choice}"
    return problem


def _tell_awaited(state: State) -> str:
    if state.status == "over":
        return "; the game is over"
    ask = state.ask
    return "" if ask is None else f"; the game waits for ask {ask.id}, of {_name_seats(ask.awaited)}"


def _name_seats(seats: Sequence[int]) -> str:
    return f"seat{'s' * (len(seats) > 1)} {', '.join(map(str, seats))}"


def _expected_version(call: Call[Holder]) -> int | None:
    """The version that If-Match insists on. Raises Problem where none can match."""
    marks = call.if_match
    if marks is None:
        return None
    first = next(iter(marks), None)
    if first is not None and len(marks) == 1 and not first.head:
        return first.version
    newest = call.services.games.snapshot(call.game)
    if not any(mark.names(newest.version, newest.head) for mark in marks):
        raise Problem("stale_version", "If-Match names another table than this", version=newest.version)
    return newest.version
