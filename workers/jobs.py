"""What the workers are asked to do."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from time import monotonic

from redis import Redis
from redis.exceptions import RedisError
from rq import get_current_job

from events.store import Unavailable
from service import logs
from service.factory import Backend, build_backend
from service.lanes.lanes import Turn
from service.play.snapshots import Snapshot, UnknownGame
from service.poison import PoisonLog
from service.tasks.tasks import PREFIX as TASK
from workers.bots_apart import BotProcess
from workers.ladder import Ladder
from workers.playing import StandIn
from workers.slices import last_for
from workers.task_work import work_on
from workers.tasks.steps import Desk, ask_again
from workers.waits import note_wait

# A game is played for so long, and then others get their turn.
SLICE_SECONDS = 0.05
# A call is answered for so long; in between the worker is seen to be alive and can be told to stop.
SHIFT_SECONDS = 0.5

process = BotProcess()
ladder = Ladder(process.ask)
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


def play_turn(backend: Backend, turn: Turn) -> None:
    """A slice of the game; what is left goes to the end of its lane. Twice or too late does no harm."""
    note_wait(turn)
    started = monotonic()
    try:
        put_back = _take_slice(backend, turn)
    finally:
        backend.lanes.charge(turn, monotonic() - started)
    put_back()


def _take_slice(backend: Backend, turn: Turn) -> Callable[[], object]:
    """Of a game or of a task; what puts it into its lane again where it is not over."""
    if turn.game.startswith(TASK):
        task = work_on(backend.tasks, Desk(backend.games, ask_again(process.ask)), turn.game)
        return _nothing_left if task is None else partial(backend.tasks.put_in_lane, task)
    unfinished = _play_slice(backend, turn.game)
    return _nothing_left if unfinished is None else partial(backend.nudges.send, turn.game, turn.is_awaited)


def _nothing_left() -> None:
    """It is over, or waits for somebody."""


def _play_slice(backend: Backend, game: str) -> Snapshot | None:
    """One game that cannot be played must not hold up the others; it is told of once."""
    try:
        return StandIn(backend.games, ladder=ladder).play_on(game, last_for(SLICE_SECONDS))
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
