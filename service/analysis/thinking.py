"""Submits a task and waits for it a short time: `submit_and_wait`; `tell_later` makes the reply 202."""

from __future__ import annotations

from time import monotonic
from typing import Annotated, Any

import msgspec
from flask import Response
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from events.text import Text
from service.analysis.results import ChoiceSeen
from service.analysis.tasks import SHORT, Task
from service.http.headers import JSON
from service.http.limits import check_room
from service.http.operation import Call
from service.http.problems import Problem
from service.http.responses import VARY
from service.http.services import Services

# How many seconds a request waits. Most tasks take less; after it the client asks again.
PATIENCE = 5.0
RETRY_SECONDS = 1
LATER = {202: "A worker thinks about it; come again at `Location`."}
THINKING_REFUSALS = ("task_failed", "too_many_streams", "stream_quota", "unavailable", "no_room")


class TaskShown(Struct, frozen=True):
    """How far something has come that the service works on, in steps of it."""

    id: Annotated[str, Meta(description="For `GET /v1/tasks/{task}`.")]
    kind: str
    done: int
    of: int
    result: Annotated[
        Any,
        Meta(
            description="Of advice that is done, for whoever ordered it, and of imports; all else is where "
            "the 202 said. Of an import it is the body that a small file would have got: of 201 or of 422."
        ),
    ] = UNSET
    judged: Annotated[
        tuple[ChoiceSeen, ...] | UnsetType,
        Meta(
            description="In the reply 202 of an analysis: the choices that were judged so far, in the order "
            "of the game. Figures of some may still change."
        ),
    ] = UNSET


TASK_EXAMPLE = {"id": "t_0a1b2c3d4e5f6g7h8i9j0k", "kind": "analysis", "done": 12, "of": 96}


def show_task(task: Task) -> TaskShown:
    """Return a task as the reply shows it, without its result."""
    return TaskShown(task.id, task.kind, task.done, task.of)


def submit_and_wait(call: Call[Any], task: Task, seconds: int = SHORT, patience: float = PATIENCE) -> Task:
    """Submit a task, or find the one with its id, and wait for it up to `patience` seconds.

    Returns the finished task, or the task as far as it has come. Raises Problem if it failed. `seconds` is
    how long the result is stored.
    """
    tasks = call.services.tasks
    check_room(call.services.room, lambda: tasks.find(task.id) is not None)
    task = check_task(tasks.submit(task, seconds))
    return task if task.is_finished else await_task(call, task, patience)


def await_task(call: Call[Any], task: Task, patience: float) -> Task:
    """Block until a task is finished, `patience` seconds have passed or the server stops; return the task.

    Raises Problem if it failed or is gone.
    """
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

    Raises Problem if there is no such task, if it failed, or if it was ordered with another token. Puts a
    task into the queue again that no worker has touched for long.
    """
    task = services.tasks.find(name)
    if task is None or task.owner not in ("", owner):
        raise Problem(
            "unknown_task", "There is no task with this id, it has expired, or it belongs to another token."
        )
    return services.tasks.revive(check_task(task))


def check_task(task: Task) -> Task:
    """Return the task. Raises Problem if it failed."""
    if task.fault:
        raise Problem("task_failed", Text("The task failed: {fault}", fault=Text(task.fault)))
    return task


def tell_later(task: Task, location: str, judged: tuple[ChoiceSeen, ...] | UnsetType = UNSET) -> Response:
    """Return the reply 202, which says where and when to ask again, with what was judged so far."""
    headers = {"Location": location, "Retry-After": str(RETRY_SECONDS), **VARY}
    shown = replace(show_task(task), judged=judged)
    return Response(msgspec.json.encode(shown), 202, headers, content_type=JSON)
