"""A worker in this process, for what the service asks bots to think about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import redis

from service.container import build_backend
from workers.jobs import play_shift


@contextmanager
def open_worker(client: redis.Redis) -> Iterator[None]:
    """Looks for work all the time, as a worker that is called does."""
    stopped, backend = Event(), build_backend(client)

    def work() -> None:
        while not stopped.is_set():
            if not play_shift(backend):
                stopped.wait(0.01)

    thread = Thread(target=work, name="worker", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
