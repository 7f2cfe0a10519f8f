"""What every process of the workers begins with."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Event, Thread

from events.redis_client import connect
from service import logs
from service.config import Misconfigured, Settings
from service.ops.preflight import refuse_unfit
from service.ops.refusal import exit_if_misconfigured


def run(work: Callable[[str, Event], None]) -> int:
    """Runs the work with the address of Redis until SIGTERM or SIGINT."""
    stopped = _listen_for_stop()
    with exit_if_misconfigured():
        settings = Settings.from_env(os.environ)
        url = _checked_url(settings)
    logs.configure(settings.log_level)
    work(url, stopped)
    return 0


def _listen_for_stop() -> Event:
    """Listens first of all: who is told to stop while it starts leaves as quietly as later."""
    stopped = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, frame: stop(stopped))
    return stopped


def stop(stopped: Event) -> None:
    """In another thread: a signal may come while the main thread holds the event's lock."""
    Thread(target=stopped.set).start()


def _checked_url(settings: Settings) -> str:
    if settings.redis_url is None:
        raise Misconfigured("REDIS_URL is not set; `croupier run` starts a Redis of its own")
    with connect(settings.redis_url) as client:
        refuse_unfit(client, settings.redis_url)
    return settings.redis_url
