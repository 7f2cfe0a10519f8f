"""Starts and supervises Redis, the API and the workers: `croupier run`."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FrameType

import msgspec

from service import logs
from service.config import Settings, say
from service.ops.preflight import await_free_port, await_redis
from service.ops.processes import StoppedTimer, spawn
from service.ops.redis_server import RedisServer
from service.ops.supervision import Child, PeriodicTask, Silence, Supervisor
from service.run_folder import FOLDER, NAME, beat_for, make_run_folder, measure_silence, remove_run_folder

API = [sys.executable, "-m", "gunicorn", "-c", "python:service.http.server.gunicorn_conf"]


def run(settings: Settings, prepare: Callable[[Settings], None] = lambda settings: None) -> int:
    """Run the service, block until a signal, and return the exit code.

    `prepare` is called when Redis answers and nothing else runs yet.
    """
    logs.configure(settings.log_level)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _exit_early)
    if settings.redis_url:
        await_redis(settings.redis_url, trusted=settings.trust_redis)
        prepare(settings)
        return _supervise(settings, base=())
    return _run_with_own_redis(settings, prepare)


def _run_with_own_redis(settings: Settings, prepare: Callable[[Settings], None]) -> int:
    """Start the embedded Redis in the data folder, and supervise all processes until a signal."""
    own = RedisServer(settings.data_dir, settings.redis_server, settings.redis_maxmemory)
    if not own.folder.exists():
        # Checked before the folder is made, so that a start that fails here leaves nothing behind. If the
        # folder exists, its owner may hold the port, and the lock of the folder gives the better message.
        await_free_port(settings)
    with own as server:
        settings = msgspec.structs.replace(settings, redis_url=server.url)
        prepare(settings)
        guard = partial(server.guard.update, server.url)
        redis = Child("redis", server.spawn, server.process, StoppedTimer())
        return _supervise(settings, base=(redis,), tasks=(guard,))


def children(settings: Settings, environ: Mapping[str, str]) -> list[Child]:
    """Return the processes to supervise. Workers are started by name: the service does not import them."""
    environ = {**environ, **settings.environment()}
    commands = {"api": API}
    commands |= {name: _module(name) for name in ("projector", "reconciler", "webhooks")}
    commands |= {f"worker-{n}": _module("worker") for n in range(1, settings.workers + 1)}
    return [
        Child(name, partial(_launch, name, command, environ), measure_silence=_silence_of(name))
        for name, command in commands.items()
    ]


def _launch(name: str, command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process; the start counts as its first heartbeat."""
    beat_for(name)
    return spawn(command, {**environ, NAME: name})


def _silence_of(name: str) -> Silence:
    """Return a function that measures the silence of the process with this name."""
    return lambda process: measure_silence(name)


def is_answering(settings: Settings) -> bool:
    """Return whether the API answers /livez."""
    connection = http.client.HTTPConnection(_reachable_host(settings.host), settings.port, timeout=1)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _exit_early(number: int, frame: FrameType | None) -> None:
    """Exit on a signal that comes before the supervisor has started."""
    raise SystemExit(0)


def _supervise(settings: Settings, base: tuple[Child, ...], tasks: tuple[PeriodicTask, ...] = ()) -> int:
    """Supervise all processes until a signal, with a run folder that they share; return the exit code."""
    await_free_port(settings)
    folder = make_run_folder(settings)
    os.environ[FOLDER] = str(folder)
    try:
        return _supervise_children(settings, base, tasks)
    finally:
        remove_run_folder(folder)


def _supervise_children(settings: Settings, base: tuple[Child, ...], tasks: tuple[PeriodicTask, ...]) -> int:
    """Supervise all processes until a signal and return the exit code."""
    if not settings.workers:
        say("WORKERS is 0: bots do not move and turns do not time out, unless workers run elsewhere")
    return Supervisor(
        children(settings, os.environ),
        base,
        ready=lambda: is_answering(settings),
        announce=lambda: print(f"Croupier is open at http://{settings.authority}/", flush=True),
        tasks=tasks,
    ).run()


def _module(name: str) -> list[str]:
    """Return the command that runs a module of the workers."""
    return [sys.executable, "-m", f"workers.{name}"]


def _reachable_host(host: str) -> str:
    """Return a host under which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
