"""Advice: what a bot would do in somebody's place, and why."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from flask import Response

from rules.rejection import Reason
from rules.state import State
from rules.typed_table import read_table
from rules.typed_types import BadTable, TypedTable
from rules.view import view
from service.api.access import BEARERS, OWNERS, SEATS, Access
from service.api.calls import Call
from service.api.inputs import bad_body
from service.api.labels import show_advice
from service.api.operation import operation
from service.api.problems import Fault, Problem
from service.api.rate_limits import THINKING
from service.api.replies import Reply
from service.api.table_schemas import AdviceWanted
from service.api.thinking import LATER, PATIENCE, THINKING_REFUSALS, tell_later, think
from service.fairness.dice import SEED_BYTES, FairDice
from service.tasks.advice import Advice, AdviceOrder
from service.tasks.tasks import Task, new_id, shared_id

# What takes longer is told of by 202 at once.
SMALL_BUDGET = 120


# Whoever names a game shows a token of it; the body says whether one is named.
ADVISED: Access[str] = Access(OWNERS.identify, OWNERS.security, SEATS.refusals)


@operation(
    "POST /v1/advice",
    "Options ranked by a bot, with expected money, chance to win and why: for one's own seat, or any table",
    Advice,
    access=ADVISED,
    body=AdviceWanted,
    refusals=(
        *(
            "unknown_game",
            "unknown_rules",
            "broken_log",
            "advice_off",
            "not_yours",
            "unknown_task",
            *THINKING_REFUSALS,
        ),
        *(Reason.NOT_ASKED, Reason.NOT_STARTED, Reason.GAME_OVER),
    ),
    also=LATER,
    kind=THINKING,
)
def advise(call: Call[str]) -> Reply | Response:
    wanted = call.body
    budget = wanted.get("budget", 0)
    seen, seat = _own_view(call, wanted) if "game" in wanted else read_sent_table(wanted)
    order = msgspec.json.encode(AdviceOrder(seen, seat, wanted["bot"], budget))
    task = think(call, _make_task(call, order), patience=PATIENCE if budget <= SMALL_BUDGET else 0.0)
    if not task.is_finished:
        return tell_later(task, f"/v1/tasks/{task.id}")
    return Reply(show_advice(call, task))


def _make_task(call: Call[str], order: bytes) -> Task:
    """Nobody else can find it. Whoever shows no token cannot be told from others: each order is its own."""
    owner, creator = call.caller, call.services.creators.identify(call.network)
    name = shared_id("advice", owner, creator, sha256(order).hexdigest()) if owner else new_id()
    return Task(name, "advice", order, creator, is_own=True, owner=owner)


def _own_view(call: Call[str], wanted: Mapping[str, Any]) -> tuple[State, int]:
    """Raises Problem for a game without advice, for another's seat, and where the seat is not asked."""
    game = wanted["game"]
    BEARERS.identify(call.request, call.services, game)
    holder = SEATS.identify(call.request, call.services, game)
    state = call.services.games.snapshot(game, branch=holder.branch).state
    if state.options.get("advice") is False:
        raise Problem("advice_off", "this game was created with `advice: false`")
    if wanted.get("seat", holder.seat) != holder.seat:
        raise Problem("not_yours", f"this is the token of seat {holder.seat}: nobody else is advised by it")
    _check_asked(state, holder.seat)
    return view(state, holder.seat), holder.seat


def _check_asked(state: State, seat: int) -> None:
    if state.status != "playing":
        reason = Reason.NOT_STARTED if state.status == "lobby" else Reason.GAME_OVER
        raise Problem(reason.value, "there is nothing to choose in this game now")
    if state.ask is None or seat not in state.ask.awaited:
        raise Problem(Reason.NOT_ASKED.value, "the game waits for somebody else")


def read_sent_table(wanted: Mapping[str, Any]) -> tuple[State, int]:
    """The game that the table is of, as the seat sees it. Raises Problem with every fault."""
    seat, table = wanted["seat"], wanted["table"]
    try:
        state = read_table(msgspec.convert(table, TypedTable), seat, FairDice(bytes(SEED_BYTES), "typed", ()))
    except BadTable as bad:
        raise bad_body([Fault(fault.detail, f"/table{fault.pointer}") for fault in bad.faults]) from None
    return view(state, seat), seat
