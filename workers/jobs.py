"""The jobs that workers run: play bots' turns and work on tasks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from time import monotonic

from redis import Redis
from redis.exceptions import RedisError
from rq import get_current_job

from events.store import Unavailable
from service import logs, metrics
from service.analysis.tasks import PREFIX as TASK
from service.analysis.tasks import Task, Tasks
from service.container import Backend, build_backend
from service.games.snapshots import Snapshot, UnknownGame
from service.incidents import PoisonLog
from service.queue.fair_queue import QueuedGame
from workers.analysis import KINDS
from workers.analysis.steps import TaskContext, ask_again
from workers.bots.asking import BotFailed
from workers.bots.fallback import FallbackChain
from workers.bots.subprocess import BotSubprocess
from workers.deadline import last_for
from workers.turns import TurnPlayer

log = logs.logger(process="worker")


def work_on(tasks: Tasks, desk: TaskContext, name: str) -> Task | None:
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


def _take_step(tasks: Tasks, desk: TaskContext, task: Task) -> Task | None:
    step = KINDS[task.kind](desk, task.order, task.memory)
    if step.result:
        tasks.finish(task.id, step.of, step.result)
        return None
    return task if tasks.note(task.id, step.done, step.of, step.memory) else None


def _give_up(tasks: Tasks, task: Task, fault: Exception) -> None:
    """Whoever waits is told; what nobody foresaw is told to the log as well."""
    tasks.fail(task.id, str(fault) if isinstance(fault, BotFailed) else "something went wrong on our side")
    log.error("task_failed", task=task.id, kind=task.kind, exc_info=fault)


LONG_SECONDS = 1.0
# A crowded service would else fill the log with what one line in a while says as well.
SILENCE_SECONDS = 10.0


class WaitLog:
    def __init__(self) -> None:
        self._quiet_until, self._untold = 0.0, 0

    def note(self, turn: QueuedGame, now: float) -> None:
        metrics.observe_queue_wait(turn.waited)
        if turn.waited < LONG_SECONDS:
            return
        self._untold += 1
        if now >= self._quiet_until:
            seconds = round(turn.waited, 1)
            log.warning("games_waited_long", game=turn.game, seconds=seconds, games=self._untold)
            self._quiet_until, self._untold = now + SILENCE_SECONDS, 0


_log = WaitLog()


def note_wait(turn: QueuedGame) -> None:
    _log.note(turn, monotonic())


# A game is played for so long, and then others get their turn.
SLICE_SECONDS = 0.05
# A call is answered for so long; in between the worker is seen to be alive and can be told to stop.
SHIFT_SECONDS = 0.5

process = BotSubprocess()
ladder = FallbackChain(process.ask)
poison = PoisonLog(logs.logger(process="worker"), "worker")


def advance() -> int:
    """Games in turn, until none waits or the shift is over; how many slices were played."""
    job = get_current_job()
    if job is None:
        raise RuntimeError("advance is a job: it needs a worker")
    return play_shift(backend_on(job.connection))


def play_shift(backend: Backend) -> int:
    """A call too many finds nothing to do. Whoever leaves games behind calls the next, or itself again."""
    is_over, slices = last_for(SHIFT_SECONDS), 0
    while (turn := backend.lanes.take()) is not None:
        play_turn(backend, turn)
        slices += 1
        if is_over():
            backend.nudges.call_worker()
            break
    return slices


def play_turn(backend: Backend, turn: QueuedGame) -> None:
    """A slice of the game; what is left goes to the end of its lane. Twice or too late does no harm."""
    note_wait(turn)
    started = monotonic()
    try:
        put_back = _take_slice(backend, turn)
    finally:
        backend.lanes.charge(turn, monotonic() - started)
    put_back()


def _take_slice(backend: Backend, turn: QueuedGame) -> Callable[[], object]:
    """Of a game or of a task; what puts it into its lane again where it is not over."""
    if turn.game.startswith(TASK):
        task = work_on(backend.tasks, TaskContext(backend.games, ask_again(process.ask)), turn.game)
        return _nothing_left if task is None else partial(backend.tasks.put_in_lane, task)
    unfinished = _play_slice(backend, turn.game)
    return _nothing_left if unfinished is None else partial(backend.nudges.send, turn.game, turn.is_awaited)


def _nothing_left() -> None:
    """It is over, or waits for somebody."""


def _play_slice(backend: Backend, game: str) -> Snapshot | None:
    """One game that cannot be played must not hold up the others; it is told of once."""
    try:
        return TurnPlayer(backend.games, ladder=ladder).play_on(game, last_for(SLICE_SECONDS))
    except UnknownGame:
        return None
    except (Unavailable, RedisError):
        raise
    except Exception as fault:
        poison.note(game, fault)
        return None


@lru_cache(maxsize=4)
def backend_on(client: Redis) -> Backend:
    """One for each connection, so that a worker remembers the games it plays."""
    return build_backend(client)
