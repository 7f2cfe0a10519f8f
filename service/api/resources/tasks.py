"""What workers think about for somebody: how far it has come, and how to call it off."""

from __future__ import annotations

from flask import Response
from msgspec.structs import replace

from service.api.access import OWNERS
from service.api.calls import Call
from service.api.labels import show_advice
from service.api.operation import operation
from service.api.problems import Problem
from service.api.rate_limits import PLAYING
from service.api.replies import Reply
from service.api.thinking import TaskShown, find_task, show_task
from service.tasks.tasks import Task

ADVICE = "advice"
REFUSALS = ("unknown_task", "task_failed", "unavailable")


@operation(
    "GET /v1/tasks/{task}",
    "How far a task has come; once all is done, whoever ordered advice gets it",
    TaskShown,
    access=OWNERS,
    refusals=REFUSALS,
    uncached=True,
)
def show_progress(call: Call[str]) -> Reply:
    task = find_task(call, call.path["task"])
    shown = show_task(task)
    return Reply(replace(shown, result=show_advice(call, task)) if _is_advised(call, task) else shown)


def _is_advised(call: Call[str], task: Task) -> bool:
    """Nobody else gets what somebody ordered for oneself."""
    own = task.owner or task.creator == call.services.creators.identify(call.network)
    return bool(task.is_own and own and task.kind == ADVICE and task.result)


@operation(
    "DELETE /v1/tasks/{task}",
    "Call off what one has ordered for oneself",
    {},
    access=OWNERS,
    status=204,
    refusals=REFUSALS,
    kind=PLAYING,
)
def cancel_task(call: Call[str]) -> Response:
    task = find_task(call, call.path["task"])
    if not task.is_own:
        raise Problem("unknown_task", "others may wait for this one, too")
    call.services.tasks.cancel(task.id)
    return Response(status=204)
