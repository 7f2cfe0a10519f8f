"""The least that a job can do, and a worker as RQ brings it to do it: `python -m bench.noop`."""

from __future__ import annotations

import os

from redis import Redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

QUEUE = "noop"


def nothing() -> None:
    """Done."""


if __name__ == "__main__":
    client = Redis.from_url(os.environ["REDIS_URL"])
    SimpleWorker([QUEUE], connection=client, serializer=JSONSerializer).work(logging_level="WARNING")
