"""Advice: what a bot would do in somebody's place, and why."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec
from flask import Request, Response

from rules.rejection import Reason
from rules.state import State
from rules.typed_table import read_table
from rules.typed_types import BadTable, TypedTable
from rules.view import view
from service.api.access import BEARERS, BOTH_TOKENS, NO_TOKEN, SEATS, Access
from service.api.calls import Call
from service.api.inputs import bad_body
from service.api.labels import show_advice
from service.api.operation import operation
from service.api.problems import Fault, Problem
from service.api.rate_limits import THINKING
from service.api.replies import Reply
from service.api.services import Services
from service.api.table_schemas import AdviceWanted
from service.api.thinking import LATER, PATIENCE, THINKING_REFUSALS, tell_later, think
from service.fairness.dice import SEED_BYTES, FairDice
from service.tasks.advice import Advice, AdviceOrder
from service.tasks.tasks import Task, shared_id

# What takes longer is told of by 202 at once.
SMALL_BUDGET = 120


def _identify_later(request: Request, services: Services, game: str) -> None:
    """Whoever names a game shows a token of it; the body says whether one is named."""


ADVISED: Access[None] = Access(_identify_later, (NO_TOKEN, *BOTH_TOKENS), ("unauthorized", "not_seated"))


@operation(
    "POST /v1/advice",
    "Options ranked by a bot, with expected money, chance to win and why: for one's own seat, or any table",
    Advice,
    access=ADVISED,
    body=AdviceWanted,
    refusals=(
        *("unknown_game", "unknown_rules", "broken_log", "advice_off", "unknown_task", *THINKING_REFUSALS),
        *(Reason.NOT_ASKED, Reason.NOT_STARTED, Reason.GAME_OVER),
    ),
    also=LATER,
    kind=THINKING,
)
def advise(call: Call[None]) -> Reply | Response:
    wanted = call.body
    budget = wanted.get("budget", 0)
    seen, seat = _own_view(call, wanted["game"]) if "game" in wanted else read_sent_table(wanted)
    order = msgspec.json.encode(AdviceOrder(seen, seat, wanted["bot"], budget))
    task = think(call, _make_task(call, order), patience=PATIENCE if budget <= SMALL_BUDGET else 0.0)
    if not task.is_finished:
        return tell_later(task, f"/v1/tasks/{task.id}")
    return Reply(show_advice(call, task))


def _make_task(call: Call[None], order: bytes) -> Task:
    """Nobody else can find it: what a creator is called is a keyed hash."""
    creator = call.services.creators.identify(call.network)
    return Task(
        shared_id("advice", creator, sha256(order).hexdigest()), "advice", order, creator, is_own=True
    )


def _own_view(call: Call[None], game: str) -> tuple[State, int]:
    """Raises Problem for a game without advice, and where the seat is not asked."""
    BEARERS.identify(call.request, call.services, game)
    holder = SEATS.identify(call.request, call.services, game)
    state = call.services.games.snapshot(game, branch=holder.branch).state
    if state.options.get("advice") is False:
        raise Problem("advice_off", "this game was created with `advice: false`")
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
