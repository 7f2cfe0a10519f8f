"""Nudges: jobs that say no more than "look at this game". The log says what is due there."""

from __future__ import annotations

from contextlib import suppress

from redis import Redis
from rq import Queue
from rq.exceptions import DuplicateJobError
from rq.serializers import JSONSerializer

from rules.state import State
from service.play.snapshots import Snapshot
from service.safe_job import SafeJob

# In this order: where people wait comes first.
QUEUES = ("bots-high", "bots-low")
ADVANCE = "workers.jobs.advance"
JOB_SECONDS = 10
# With 0 a job that was abandoned once runs again after it succeeded, and ends as failed (RQ 2.12).
RESULT_SECONDS = 60
FAILURE_SECONDS = 3600


class Nudges:
    def __init__(self, client: Redis) -> None:
        self._queues = [
            Queue(name, connection=client, job_class=SafeJob, serializer=JSONSerializer) for name in QUEUES
        ]

    def send(self, game: str, snapshot: Snapshot, attempt: int = 0) -> None:
        """At most one a game, version and attempt, however often it is sent."""
        urgent, patient = self._queues
        queue = urgent if _has_people(snapshot.state) else patient
        with suppress(DuplicateJobError):
            queue.enqueue_call(
                ADVANCE,
                (game,),
                timeout=JOB_SECONDS,
                result_ttl=RESULT_SECONDS,
                failure_ttl=FAILURE_SECONDS,
                job_id=f"bot-{game}-{snapshot.version}-{attempt}",
                unique=True,
            )

    def queued_games(self) -> set[str]:
        """The games with a nudge in a queue."""
        ids = [job for queue in self._queues for job in queue.get_job_ids()]
        return {job.removeprefix("bot-").rsplit("-", 2)[0] for job in ids}


def _has_people(state: State) -> bool:
    return any(seat.bot is None for seat in state.seats)
