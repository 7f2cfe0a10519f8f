"""What a finished game was made of: luck and choices."""

from __future__ import annotations

import msgspec
from flask import Response
from msgspec.structs import replace

from rules.rejection import Reason
from rules.state import State
from service.api.access import SPECTATORS
from service.api.calls import Call
from service.api.media_types import JSON
from service.api.operation import operation
from service.api.plots import draw
from service.api.problems import Problem
from service.api.rate_limits import THINKING
from service.api.replies import Reply
from service.api.thinking import LATER, THINKING_REFUSALS, tell_later, think
from service.play.branches import Holder
from service.play.snapshots import Snapshot
from service.players.players import Player
from service.tasks.analysis import FORM, Analysis, AnalysisOrder
from service.tasks.tasks import LONG, Task, shared_id

SVG = "image/svg+xml"
Viewer = Holder | Player | None


@operation(
    "GET /v1/games/{game}/analysis",
    "Luck and choices of everybody in a game that is over, as data or as a picture; 202 while it is made",
    {JSON: Analysis, SVG: str},
    access=SPECTATORS,
    refusals=(Reason.NOT_OVER, "unknown_rules", "unknown_task", *THINKING_REFUSALS),
    also=LATER,
    kind=THINKING,
)
def analyse_game(call: Call[Viewer]) -> Reply | Response:
    snapshot, task = _order(call)
    task = think(call, task, LONG, patience=0.0)
    if not task.is_finished:
        return tell_later(task, call.request.path)
    named = call.services.names.put_into(snapshot).state
    found = _name_seats(msgspec.json.decode(task.result, type=Analysis), named)
    return Reply(found) if call.media == JSON else Reply(_draw(found), media=SVG)


def _draw(found: Analysis) -> bytes:
    return draw(found, {seat.seat: f"{seat.seat}: {seat.name}" for seat in found.seats})


def _order(call: Call[Viewer]) -> tuple[Snapshot, Task]:
    """The same for everybody. Raises Problem."""
    snapshot = call.services.games.snapshot(call.game, branch=call.branch)
    _check_result(snapshot.state)
    order = msgspec.json.encode(AnalysisOrder(call.game, snapshot.version))
    creator = call.services.creators.identify(call.network)
    name = shared_id("analysis", FORM, call.game, snapshot.head)
    return snapshot, Task(name, "analysis", order, creator)


def _check_result(state: State) -> None:
    """Raises Problem."""
    if state.status != "over":
        raise Problem(Reason.NOT_OVER.value, "a game can be analysed when it has been played to its end")
    if not state.winners:
        raise Problem(Reason.NOT_OVER.value, "the game ended early and has no result to take apart")


def _name_seats(found: Analysis, state: State) -> Analysis:
    """What is kept has no names: they may change, or be erased."""
    seats = tuple(replace(seat, name=state.seats[seat.seat].name) for seat in found.seats)
    return replace(found, seats=seats)
