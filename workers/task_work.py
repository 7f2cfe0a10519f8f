"""A step of a task, between the games."""

from __future__ import annotations

from redis.exceptions import RedisError

from events.store import Unavailable
from service import logs
from service.tasks.tasks import Task, Tasks
from workers.bots.asking import BotFailed
from workers.tasks import KINDS
from workers.tasks.steps import Desk

log = logs.logger(process="worker")


def work_on(tasks: Tasks, desk: Desk, name: str) -> Task | None:
    """The task where there is more to do. Twice or too late does no harm."""
    task = tasks.find(name)
    if task is None or task.is_finished:
        return None
    try:
        return _take_step(tasks, desk, task)
    except (Unavailable, RedisError):
        raise
    except Exception as fault:
        _give_up(tasks, task, fault)
        return None


def _take_step(tasks: Tasks, desk: Desk, task: Task) -> Task | None:
    step = KINDS[task.kind](desk, task.order, task.memory)
    if step.result:
        tasks.finish(task.id, step.of, step.result)
        return None
    return task if tasks.note(task.id, step.done, step.of, step.memory) else None


def _give_up(tasks: Tasks, task: Task, fault: Exception) -> None:
    """Whoever waits is told; what nobody foresaw is told to the log as well."""
    tasks.fail(task.id, str(fault) if isinstance(fault, BotFailed) else "something went wrong on our side")
    log.error("task_failed", task=task.id, kind=task.kind, exc_info=fault)
