"""Puts a game into the queue and notifies a worker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from redis import Redis
from rq import Queue
from rq.serializers import JSONSerializer

from events.redis import translate_redis_errors
from events.store import Unavailable
from service.queue.fair_queue import FairQueue
from service.queue.jobs import SafeJob

QUEUE = "bots"
ADVANCE = "workers.jobs.advance"
# A call names no game, so a few will do however many games wait: who comes plays one after the other.
MOST_CALLS = 4
JOB_SECONDS = 10
# With 0 a job that was abandoned once runs again after it succeeded, and ends as failed (RQ 2.12).
RESULT_SECONDS = 60
FAILURE_SECONDS = 3600


class BotScheduler:
    def __init__(self, client: Redis, lanes: FairQueue, creator_of: Callable[[str], str]) -> None:
        self._queue = Queue(QUEUE, connection=client, job_class=SafeJob, serializer=JSONSerializer)
        self._lanes, self._creator_of = lanes, creator_of

    def send(self, game: str, is_awaited: bool = False) -> bool:
        """However often it is sent, a game waits once; first comes where somebody awaits the bot's answer.

        Whether it did not wait before. Raises UnknownGame and Unavailable.
        """
        new = self._lanes.put(game, self._creator_of(game), is_awaited)
        self.call_worker()
        return new

    def notify(self, game: str) -> None:
        """Queue a game for a person who has just answered.

        Busy workers take it next; the projector calls an idle one. This is quick enough for a request and
        never fails one: what is lost here the projector sends.
        """
        with suppress(Unavailable):
            self._lanes.put(game, self._creator_of(game), is_awaited=True)

    def call_worker(self) -> None:
        with translate_redis_errors():
            if len(self._queue) < MOST_CALLS:
                self._queue.enqueue_call(
                    ADVANCE, timeout=JOB_SECONDS, result_ttl=RESULT_SECONDS, failure_ttl=FAILURE_SECONDS
                )
