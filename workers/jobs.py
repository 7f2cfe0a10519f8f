"""Runs the jobs of workers: plays bots' turns and works on tasks."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache, partial
from time import monotonic

from redis import Redis
from redis.exceptions import RedisError
from rq import get_current_job

from events.redis import connect
from events.store import Unavailable
from service import logs, metrics
from service.analysis.tasks import PREFIX as TASK
from service.analysis.tasks import Task, Tasks
from service.config import Settings
from service.container import Backend, build_backend, read_archive, time_limits_of
from service.games.snapshots import Snapshot, UnknownGame
from service.incidents import PoisonLog
from service.queue.fair_queue import QueuedGame
from workers.analysis import KINDS
from workers.analysis.steps import TaskContext, retry_after_death
from workers.bots.asking import BotFailed
from workers.bots.fallback import FallbackChain
from workers.bots.subprocess import BotSubprocess
from workers.turns import TurnPlayer, last_for

log = logs.logger(process="worker")


def work_on(tasks: Tasks, context: TaskContext, name: str) -> Task | None:
    """Take one step of a task; return the task if there is more to do. Running twice does no harm."""
    task = tasks.find(name)
    if task is None or task.is_finished:
        return None
    try:
        return _take_step(tasks, context, task)
    except (Unavailable, RedisError):
        raise
    except Exception as fault:
        _give_up(tasks, task, fault)
        return None


def _take_step(tasks: Tasks, context: TaskContext, task: Task) -> Task | None:
    """Take one step of the task and store its progress or result; return the task if there is more to do."""
    step = KINDS[task.kind](context, task.order, task.memory)
    if step.result:
        tasks.finish(task.id, step.of, step.result)
        return None
    return task if tasks.record_progress(task.id, step.done, step.of, step.memory) else None


def _give_up(tasks: Tasks, task: Task, fault: Exception) -> None:
    """Mark the task as failed, for the caller who waits for it, and log the fault."""
    tasks.fail(task.id, str(fault) if isinstance(fault, BotFailed) else "something went wrong on our side")
    log.error("task_failed", task=task.id, kind=task.kind, exc_info=fault)


LONG_SECONDS = 1.0
# A busy service would otherwise fill the log with these lines.
SILENCE_SECONDS = 10.0


class WaitLog:
    """Logs that games wait long for a worker, at most once in SILENCE_SECONDS."""

    def __init__(self) -> None:
        self._quiet_until = 0.0
        self._unreported = 0

    def record(self, turn: QueuedGame, now: float) -> None:
        """Count the waiting time in the metrics, and log it if it was long."""
        metrics.observe_queue_wait(turn.waited)
        if turn.waited < LONG_SECONDS:
            return
        self._unreported += 1
        if now >= self._quiet_until:
            seconds = round(turn.waited, 1)
            log.warning("games_waited_long", game=turn.game, seconds=seconds, games=self._unreported)
            self._quiet_until = now + SILENCE_SECONDS
            self._unreported = 0


_wait_log = WaitLog()


def record_wait(turn: QueuedGame) -> None:
    """Record how long this game waited for a worker."""
    _wait_log.record(turn, monotonic())


# A worker plays one game for this long, then the next one in the queue.
SLICE_SECONDS = 0.05
# One job lasts this long; between two jobs the worker shows that it is alive and can be stopped.
SHIFT_SECONDS = 0.5

process = BotSubprocess()
fallback_chain = FallbackChain(process.ask)
poison = PoisonLog(logs.logger(process="worker"), "worker")


def advance() -> int:
    """Play queued games until the queue is empty or the shift is over; return the number of slices.

    RQ runs this as a job. Raises RuntimeError outside of a worker.
    """
    job = get_current_job()
    if job is None:
        raise RuntimeError("advance is a job: it needs a worker")
    return play_shift(backend_on(job.connection))


def play_shift(backend: Backend) -> int:
    """Play slices of queued games. If games are left when the shift is over, call a worker again."""
    is_over = last_for(SHIFT_SECONDS)
    slices = 0
    while (turn := backend.queue.take()) is not None:
        play_turn(backend, turn)
        slices += 1
        if is_over():
            backend.scheduler.call_worker()
            break
    return slices


def play_turn(backend: Backend, turn: QueuedGame) -> None:
    """Play one slice of a game, and queue it again if it is not done. Running twice does no harm."""
    record_wait(turn)
    started = monotonic()
    try:
        put_back = _work_on_turn(backend, turn)
    finally:
        backend.queue.charge(turn, monotonic() - started)
    put_back()


def _work_on_turn(backend: Backend, turn: QueuedGame) -> Callable[[], object]:
    """Work on a game or a task; return the function that queues it again, if it is not done."""
    if turn.game.startswith(TASK):
        task = work_on(backend.tasks, TaskContext(backend.games, retry_after_death(process.ask)), turn.game)
        return _do_nothing if task is None else partial(backend.tasks.enqueue, task)
    if _play_slice(backend, turn.game) is None:
        return _do_nothing
    return partial(backend.scheduler.schedule, turn.game, turn.is_awaited)


def _do_nothing() -> None:
    """Do nothing: the game is over or waits for a person, so it is not queued again."""


def _play_slice(backend: Backend, game: str) -> Snapshot | None:
    """Play one slice of a game; return its snapshot if there is more to do, else None.

    A game that cannot be played is logged and must not stop the others.
    """
    try:
        player = TurnPlayer(backend.games, backend.clock, fallback_chain, is_held=backend.clock.is_held)
        return player.play_turns(game, last_for(SLICE_SECONDS))
    except UnknownGame:
        return None
    except Unavailable as fault:
        # Its master in a cluster may be away and others not. The reconciler comes back to this game.
        log.warning("redis_away", game=game, fault=str(fault))
        return None
    except RedisError:
        raise
    except Exception as fault:
        poison.record(game, fault)
        return None


@lru_cache(maxsize=4)
def backend_on(queue_client: Redis) -> Backend:
    """Return the backend of a worker whose jobs come from this client's Redis.

    There is one for each, so that a worker caches the games it plays.
    """
    settings = Settings.from_env(os.environ)
    client = queue_client
    if settings.queue_url:
        client = connect(settings.redis_url or "", replicas=settings.durable_replicas)
    return build_backend(
        client,
        time_limits_of(settings),
        archive=read_archive(),
        queue_client=queue_client,
        signing_key=settings.signing_key_path,
    )
