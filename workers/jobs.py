"""What the workers are asked to do."""

from __future__ import annotations

from functools import lru_cache

from redis import Redis
from redis.exceptions import RedisError
from rq import get_current_job

from events.store import Unavailable
from service import logs
from service.factory import Backend, build_backend
from service.play.snapshots import UnknownGame
from service.poison import PoisonLog
from workers.playing import StandIn

poison = PoisonLog(logs.logger(process="worker"), "worker")


def advance(game: str) -> str:
    """Twice or too late does no harm: the log says whether there is anything to do."""
    job = get_current_job()
    if job is None:
        raise RuntimeError("advance is a job: it needs a worker")
    try:
        return advance_with(backend_on(job.connection), game)
    except (Unavailable, RedisError):
        raise
    except Exception as fault:
        # Not RQ's to keep: it would store every try for an hour, and there is one every few seconds.
        poison.note(game, fault)
        return "poisoned"


def advance_with(backend: Backend, game: str) -> str:
    """A slice of the game; what is left goes to the end of the queue."""
    try:
        unfinished = StandIn(backend.games).play_on(game)
    except UnknownGame:
        return "unknown"
    if unfinished is None:
        return "done"
    backend.nudges.send(game, unfinished)
    return "more"


@lru_cache(maxsize=4)
def backend_on(client: Redis) -> Backend:
    """One for each connection, so that a worker remembers the games it plays."""
    return build_backend(client)
