"""What workers think about for somebody: how far it has come, and how to call it off."""

from __future__ import annotations

from flask import Response

from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.operation import operation
from service.api.problems import Problem
from service.api.rate_limits import PLAYING
from service.api.replies import Reply
from service.api.thinking import TaskShown, find_task, show_task

REFUSALS = ("unknown_task", "task_failed", "unavailable")


@operation(
    "GET /v1/tasks/{task}",
    "How far a task has come; once all is done, whoever repeats the order gets the result",
    TaskShown,
    access=ANYBODY,
    refusals=REFUSALS,
    uncached=True,
)
def show_progress(call: Call[None]) -> Reply:
    return Reply(show_task(find_task(call, call.path["task"])))


@operation(
    "DELETE /v1/tasks/{task}",
    "Call off what one has ordered for oneself",
    {},
    access=ANYBODY,
    status=204,
    refusals=REFUSALS,
    kind=PLAYING,
)
def cancel_task(call: Call[None]) -> Response:
    task = find_task(call, call.path["task"])
    if not task.is_own:
        raise Problem("unknown_task", "others may wait for this one, too")
    call.services.tasks.cancel(task.id)
    return Response(status=204)
