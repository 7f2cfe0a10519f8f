"""Puts a game into the queue and notifies a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from events.redis import translate_redis_errors
from events.store import Unavailable
from service.queue.fair_queue import DueGame, FairQueue
from service.queue.jobs import SafeJob

QUEUE = "bots"
ADVANCE = "workers.jobs.advance"
# A job names no game: a worker that runs one plays all games that wait, so a few jobs are enough.
MOST_CALLS = 4
JOB_SECONDS = 10
# With 0 a job that was abandoned once runs again after it succeeded, and ends as failed (RQ 2.12).
RESULT_SECONDS = 60
FAILURE_SECONDS = 3600
# A Redis that does not answer is left alone for so long, so that nobody waits for it again and again.
AWAY_SECONDS = 1.0


class BotScheduler:
    """Queues games in which a bot has to move, and calls workers."""

    def __init__(self, client: Redis, queue: FairQueue, creator_of: Callable[[str], str]) -> None:
        """Use RQ's queue in that client's Redis; `creator_of` returns the creator of a game."""
        self._jobs = Queue(QUEUE, connection=client, job_class=SafeJob, serializer=JSONSerializer)
        self._waiting = queue
        self._creator_of = creator_of
        self._away_until = 0.0

    def schedule(self, game: str, is_awaited: bool = False) -> bool:
        """Queue a game and call a worker; return False if it was queued already, or the queue is away.

        Does not wait for the worker. For projector and reconciler; a request calls `notify`. Games in which a
        person awaits the bot's answer come first. What a lost queue held is queued again when it is due.
        Raises UnknownGame, and Unavailable if the log is away.
        """
        creator = self._creator_of(game)
        return self._try_queue(lambda: self._put_and_call(game, creator, is_awaited))

    def schedule_all(self, games: Sequence[DueGame]) -> None:
        """Queue games at once and call a worker, as `schedule` does."""
        self._try_queue(lambda: self._put_all_and_call(games))

    def _put_all_and_call(self, games: Sequence[DueGame]) -> bool:
        """Queue games and call a worker. Raises Unavailable."""
        self._waiting.put_all(games)
        self.call_worker()
        return True

    def _put_and_call(self, game: str, creator: str, is_awaited: bool) -> bool:
        """Queue a game and call a worker; return False if it was queued already. Raises Unavailable."""
        new = self._waiting.put(game, creator, is_awaited)
        self.call_worker()
        return new

    def _try_queue(self, put: Callable[[], bool]) -> bool:
        """Put something into the queue, unless it was away a moment ago; return False if it is away."""
        if monotonic() < self._away_until:
            return False
        try:
            return put()
        except Unavailable:
            self._away_until = monotonic() + AWAY_SECONDS
            return False

    def notify(self, game: str) -> None:
        """Queue a game for a person who has just answered; call no worker.

        Busy workers take it next; the projector calls an idle one. This is quick enough for a request and
        never fails one: if the queue is away, the game is queued later.
        """
        with suppress(Unavailable):
            creator = self._creator_of(game)
            self._try_queue(lambda: self._waiting.put(game, creator, is_awaited=True))

    def call_worker(self) -> None:
        """Put a job into the queue of RQ, unless enough jobs are there. Raises Unavailable."""
        with translate_redis_errors():
            if len(self._jobs) < MOST_CALLS:
                self._jobs.enqueue_call(
                    ADVANCE, timeout=JOB_SECONDS, result_ttl=RESULT_SECONDS, failure_ttl=FAILURE_SECONDS
                )
