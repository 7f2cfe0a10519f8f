"""Configures gunicorn for the API."""

import atexit
import gc
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from service import logs
from service.config import Settings, exit_if_misconfigured
from service.ops.processes import RESERVED, die_with_parent, measure_capacity, raise_descriptor_limit
from service.run_folder import (
    FOLDER,
    HANG_SECONDS,
    NAME,
    beat,
    forget_process,
    make_run_folder,
    remove_run_folder,
)


def _remove_folder_of(master: int) -> None:
    """Remove the run folder, if this process is the master: forks exit with this hook, too."""
    if os.getpid() == master:
        remove_run_folder(Path(os.environ[FOLDER]))


with exit_if_misconfigured():
    _settings = Settings.from_env(os.environ)

# `croupier run` makes and removes the folder for all its processes.
if FOLDER not in os.environ:
    os.environ[FOLDER] = str(make_run_folder(_settings))
    # A start that fails is no exit for gunicorn. The workers are forks of this process.
    atexit.register(_remove_folder_of, os.getpid())

wsgi_app = "service.http.server.wsgi:app"
bind = _settings.authority
workers = _settings.api_workers
worker_class = "service.http.server.worker.ProblemWorker"
# More than a process keeps: a connection beyond that is accepted, and an idle one closed for it.
raise_descriptor_limit()
worker_connections = measure_capacity().connections + RESERVED // 8
graceful_timeout = 3
timeout = int(HANG_SECONDS)
keepalive = 15
control_socket_disable = True
loglevel = "warning"
# A heartbeat file on a slow disk would let the master kill a healthy worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None


def on_starting(server: Any) -> None:
    """Give gunicorn's own log lines the format of all others."""
    logs.configure(_settings.log_level)
    server.log.error_log.handlers.clear()
    server.log.error_log.propagate = True
    server.murder_workers = _beat_before(server.murder_workers)


def _beat_before(act: Callable[[], None]) -> Callable[[], None]:
    """Return a function that records a heartbeat of the master and then calls `act`.

    gunicorn has no hook for it, but the master looks every second for workers to kill.
    """

    def beat_and_act() -> None:
        beat()
        act()

    return beat_and_act


def pre_fork(server: Any, worker: Any) -> None:
    """Give a new worker the smallest number that no worker has, so that a restarted one keeps its name."""
    taken = {one.place for one in server.WORKERS.values()}
    worker.place = next(place for place in count(1) if place not in taken)


def post_fork(server: Any, worker: Any) -> None:
    """Tie the worker to its master: one left behind by a killed master would keep the port."""
    die_with_parent(server.pid)
    os.environ[NAME] = f"api-{worker.place}"


def child_exit(server: Any, worker: Any) -> None:
    """Forget the heartbeat and the open streams of a worker that has ended."""
    forget_process(f"api-{worker.place}")


def post_worker_init(worker: Any) -> None:
    """Let open streams end when the worker is told to stop, and leave imports out of garbage collection."""
    # Not imported above: gevent has to patch the standard library first.
    from service.http.app import DOORBELL

    worker.wsgi.extensions[DOORBELL].serving = lambda: worker.alive
    # What was imported is never garbage. A full collection that walks these 93,000 objects, once in about
    # 1,500 choices, stops the process for 54 to 79 ms; without them it takes 6 to 18 ms.
    gc.collect()
    gc.freeze()
