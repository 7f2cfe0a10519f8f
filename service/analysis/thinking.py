"""Waits for a task a short time: the result at once, or 202 with the task."""

from __future__ import annotations

from time import monotonic
from typing import Annotated, Any

import msgspec
from flask import Response
from msgspec import UNSET, Meta, Struct, UnsetType

from service.analysis.results import Advice
from service.analysis.tasks import SHORT, Task
from service.http.headers import JSON
from service.http.operation import Call
from service.http.problems import Problem
from service.http.responses import VARY
from service.http.services import Services

# Most thoughts take less; whoever still waits then may come again.
PATIENCE = 5.0
RETRY_SECONDS = 1
LATER = {202: "A worker thinks about it; come again at `Location`."}
THINKING_REFUSALS = ("task_failed", "too_many_streams", "stream_quota", "unavailable")


class TaskShown(Struct, frozen=True):
    """How far something has come that workers think about, in steps of it."""

    id: Annotated[str, Meta(description="For `GET /v1/tasks/{task}`.")]
    kind: str
    done: int
    of: int
    result: Annotated[
        Advice | UnsetType,
        Meta(description="Of advice that is done, for whoever ordered it; all else is where the 202 said."),
    ] = UNSET


TASK_EXAMPLE = {"id": "t_0a1b2c3d4e5f6g7h8i9j0k", "kind": "analysis", "done": 12, "of": 96}


def show_task(task: Task) -> TaskShown:
    return TaskShown(task.id, task.kind, task.done, task.of)


def think(call: Call[Any], task: Task, seconds: int = SHORT, patience: float = PATIENCE) -> Task:
    """Given to the workers, and waited for. Raises Problem where it failed."""
    task = check_task(call.services.tasks.submit(task, seconds))
    return task if task.is_finished else await_task(call, task, patience)


def await_task(call: Call[Any], task: Task, patience: float) -> Task:
    """As far as it has come when the time is over, or the task."""
    doorbell = call.services.streams.doorbell
    end = monotonic() + patience
    with doorbell.listen(task.id, call.network) as listener:
        while not (task := find_task(call.services, task.id, task.owner)).is_finished:
            if not doorbell.is_open or monotonic() >= end:
                break
            listener.wait(end - monotonic())
    return task


def find_task(services: Services, name: str, owner: str) -> Task:
    """Return the task of that id; `owner` is the hash of the caller's token, or empty.

    Raises Problem when there is none, or no longer, or it failed, or was ordered with another token.
    """
    task = services.tasks.find(name)
    if task is None or task.owner not in ("", owner):
        raise Problem(
            "unknown_task", "there is no such task, or no longer, or it was ordered with another token"
        )
    return services.tasks.revive(check_task(task))


def check_task(task: Task) -> Task:
    """Raises Problem where it failed."""
    if task.fault:
        raise Problem("task_failed", f"the bot gave no answer: {task.fault}")
    return task


def tell_later(task: Task, location: str) -> Response:
    """Where to come again, and when."""
    headers = {"Location": location, "Retry-After": str(RETRY_SECONDS), **VARY}
    return Response(msgspec.json.encode(show_task(task)), 202, headers, content_type=JSON)
