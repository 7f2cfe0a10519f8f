"""Starts a worker process: signals, settings, logging, and a check of Redis."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Event, Thread

from service import logs
from service.config import Settings, exit_if_misconfigured
from service.container import connect_checked
from service.run_folder import beat


def run(work: Callable[[str, Event], None]) -> int:
    """Run `work(url, stopped)` with the address of Redis, until SIGTERM or SIGINT sets `stopped`."""
    stopped = _listen_for_stop()
    beat()
    with exit_if_misconfigured():
        settings = Settings.from_env(os.environ)
        url = _checked_url(settings)
    logs.configure(settings.log_level)
    work(url, stopped)
    return 0


def _listen_for_stop() -> Event:
    """Install the signal handlers. This comes first, so that a stop during the start is quiet, too."""
    stopped = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, frame: stop(stopped))
    return stopped


def stop(stopped: Event) -> None:
    """Set the event from another thread: a signal may arrive while the main thread holds its lock."""
    Thread(target=stopped.set).start()


def _checked_url(settings: Settings) -> str:
    """Check that Redis can be reached and used, and return its address."""
    with connect_checked(settings):
        return settings.redis_url or ""
