"""What the workers are asked to do."""

from __future__ import annotations

from functools import lru_cache

from redis import Redis
from rq import get_current_job

from events.redis_store import RedisStore
from service.play.games import Games
from service.play.snapshots import UnknownGame
from workers.nudges import Nudges
from workers.playing import StandIn


def advance(game: str) -> str:
    """Twice or too late does no harm: the log says whether there is anything to do."""
    job = get_current_job()
    if job is None:
        raise RuntimeError("advance is a job: it needs a worker")
    return advance_on(job.connection, game)


def advance_on(client: Redis, game: str) -> str:
    """A slice of the game; what is left goes to the end of the queue."""
    games = games_on(client)
    try:
        unfinished = StandIn(games).play_on(game)
    except UnknownGame:
        return "unknown"
    if unfinished:
        Nudges(client).send(game, games.snapshot(game))
    return "more" if unfinished else "done"


@lru_cache(maxsize=4)
def games_on(client: Redis) -> Games:
    """One for each connection, so that a worker remembers the games it plays."""
    return Games(RedisStore(client))
