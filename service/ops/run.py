"""`croupier run`: starts Redis, the API and the workers in one command."""

import http.client
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from types import FrameType

import msgspec

from service import logs
from service.config import Settings, say
from service.ops.preflight import await_free_port, await_redis
from service.ops.processes import StopWatch, spawn
from service.ops.redis_server import RedisServer
from service.ops.supervision import Child, Chore, Silence, Supervisor
from service.run_folder import FOLDER, NAME, beat_for, make_run_folder, measure_silence, remove_run_folder

API = [sys.executable, "-m", "gunicorn", "-c", "python:service.http.server.gunicorn_conf"]


def run(settings: Settings) -> int:
    logs.configure(settings.log_level)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _exit_early)
    if settings.redis_url:
        await_redis(settings.redis_url)
        return _supervise(settings, ())
    return _run_with_own_redis(settings)


def _run_with_own_redis(settings: Settings) -> int:
    own = RedisServer(settings.data_dir, settings.redis_server)
    if not own.folder.exists():
        # A start that comes to nothing leaves none. Where there is one, its owner may well have the port.
        await_free_port(settings)
    with own as server:
        told = msgspec.structs.replace(settings, redis_url=server.url)
        guard = partial(server.guard.tend, server.url)
        redis = Child("redis", server.spawn, server.process, StopWatch())
        return _supervise(told, (redis,), (guard,))


def children(settings: Settings, environ: Mapping[str, str]) -> list[Child]:
    """The workers are started by name: the service imports nothing above it."""
    told = {**environ, **settings.environment()}
    commands = {"api": API, "projector": _module("projector"), "reconciler": _module("reconciler")}
    commands |= {f"worker-{n}": _module("worker") for n in range(1, settings.workers + 1)}
    return [
        Child(name, partial(_launch, name, command, told), measure_silence=_silence_of(name))
        for name, command in commands.items()
    ]


def _launch(name: str, command: Sequence[str], environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """That it was started counts as its first sign of life."""
    beat_for(name)
    return spawn(command, {**environ, NAME: name})


def _silence_of(name: str) -> Silence:
    return lambda process: measure_silence(name)


def is_answering(settings: Settings) -> bool:
    """Whether the API answers /livez; called until it first does."""
    connection = http.client.HTTPConnection(_reachable_host(settings.host), settings.port, timeout=1)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _exit_early(number: int, frame: FrameType | None) -> None:
    """Told to stop before there is anything to supervise."""
    raise SystemExit(0)


def _supervise(settings: Settings, base: tuple[Child, ...], chores: tuple[Chore, ...] = ()) -> int:
    await_free_port(settings)
    folder = make_run_folder(settings)
    os.environ[FOLDER] = str(folder)
    try:
        return _supervise_children(settings, base, chores)
    finally:
        remove_run_folder(folder)


def _supervise_children(settings: Settings, base: tuple[Child, ...], chores: tuple[Chore, ...]) -> int:
    if not settings.workers:
        say("WORKERS is 0: bots do not move and turns do not time out, unless workers run elsewhere")
    return Supervisor(
        children(settings, os.environ),
        base,
        ready=lambda: is_answering(settings),
        announce=lambda: print(f"Croupier is open at http://{settings.authority}/", flush=True),
        chores=chores,
    ).run()


def _module(name: str) -> list[str]:
    return [sys.executable, "-m", f"workers.{name}"]


def _reachable_host(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
