"""What every process of the workers begins with."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from threading import Event

from service import logs
from service.config import Misconfigured, Settings


def run(work: Callable[[str, Event], None]) -> int:
    """Runs the work with the address of Redis until SIGTERM or SIGINT."""
    try:
        settings = Settings.from_env(os.environ)
        if settings.redis_url is None:
            raise Misconfigured("REDIS_URL is not set; `croupier run` starts a Redis of its own")
    except Misconfigured as problem:
        print(f"croupier: {problem}", file=sys.stderr)
        return 1
    logs.configure(settings.log_level)
    stopped = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda signum, frame: stopped.set())
    work(settings.redis_url, stopped)
    return 0
