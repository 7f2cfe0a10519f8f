"""The whole service as `croupier run` starts it, and its processes."""

from __future__ import annotations

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

from events.redis import connect
from events.redis_store import RedisStore
from service.ops import run
from service.ops.redis_server import find_running_url
from tests.support.http_client import HttpService
from tests.support.waiting import PATIENCE, wait_until

# Another checkout with a virtual environment of its own, to be attacked in place of this one.
TREE = os.environ.get("CROUPIER_TREE")
PYTHON = f"{TREE}/.venv/bin/python" if TREE else sys.executable
CROUPIER = [PYTHON, "-c", "from service.cli import main; raise SystemExit(main())"]


# Below the ports that the kernel gives to outgoing connections, and above those that browsers refuse.
PORTS = range(11_000, 32_000)
_given = set[int]()


def free_port() -> int:
    """A port that nobody listens at, and that this process was not given before.

    The kernel would give one that is asked for and not yet used again, once in some thousands.
    """
    while True:
        port = secrets.choice(PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            if port not in _given:
                _given.add(port)
                return port


def is_up(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=20) as reply:
            return bool(reply.status == 200)
    except (OSError, HTTPException):
        return False


def is_ready(process: subprocess.Popen[bytes], base: str) -> bool:
    assert process.poll() is None, f"it closed with {process.returncode}"
    return is_up(f"{base}/readyz")


def limit_descriptors(number: int | None) -> list[str]:
    """What to put before a command."""
    return [] if number is None else ["sh", "-c", f'ulimit -n {number} && exec "$@"', "sh"]


@contextmanager
def run_service(
    folder: Path, descriptors: int | None = None, **environment: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address and the supervising process; on the way out everything is stopped as with Ctrl-C.

    With `descriptors` none of its processes can open more files.
    """
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    settings = {
        "PORT": str(port),
        "DATA_DIR": str(folder),
        "REDIS_URL": "",
        "LOG_LEVEL": "warning",
        "RATE_LIMITS": "off",
    }
    with (folder.parent / f"{folder.name}.log").open("ab") as log:
        process = subprocess.Popen(
            [*limit_descriptors(descriptors), *CROUPIER, "run"],
            env={**os.environ, **settings, **environment},
            stdout=log,
            stderr=log,
            cwd=TREE,
        )
        try:
            wait_until(lambda: is_ready(process, base), "the service being ready")
            yield base, process
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)


@contextmanager
def run_api(redis_url: str, port: int) -> Iterator[str]:
    """The API alone, where it was before; its address."""
    base = f"http://127.0.0.1:{port}"
    told = {"PORT": str(port), "REDIS_URL": redis_url, "API_WORKERS": "1", "LOG_LEVEL": "error"}
    process = subprocess.Popen(run.API, env={**os.environ, **told, "RATE_LIMITS": "off"})
    try:
        wait_until(lambda: is_ready(process, base), "the API serving")
        yield base
    finally:
        process.terminate()
        process.wait(PATIENCE)


class RunningService:
    def __init__(self, http: HttpService, folder: Path, store: RedisStore) -> None:
        self.http, self.store = http, store
        self._logs = (folder.parent / f"{folder.name}.log", folder / "redis" / "redis.log")

    def logs(self) -> list[bytes]:
        """The lines that all its processes have written so far."""
        return [line for log in self._logs for line in log.read_bytes().splitlines()]


@contextmanager
def open_running(folder: Path) -> Iterator[RunningService]:
    with (
        run_service(folder, LOG_LEVEL="debug", WEBHOOK_NETWORKS="127.0.0.0/8") as (base, _),
        connect(find_running_url(folder) or "") as client,
    ):
        yield RunningService(HttpService(base), folder, RedisStore(client))


PROC = Path("/proc")


def descendants(pid: int) -> dict[int, str]:
    """Children, grandchildren and so on with their command lines."""
    processes = list(_read_proc() if (PROC / "self" / "stat").exists() else _run_ps())
    found: dict[int, str] = {}
    parents = {pid}
    while parents:
        born = {child: line for child, parent, line in processes if parent in parents}
        found |= born
        parents = set(born)
    return found


def descendants_matching(pid: int, pattern: str) -> list[int]:
    """Those below whose command line fits; there must be some."""
    fitting = [child for child, line in descendants(pid).items() if re.search(pattern, line)]
    assert fitting, f"no process {pattern} below {pid}"
    return fitting


def kill(pids: Iterable[int]) -> None:
    for pid in pids:
        # Some go with their parent.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _read_proc() -> Iterator[tuple[int, int, str]]:
    for folder in PROC.glob("[0-9]*"):
        try:
            stat, line = (folder / "stat").read_text(), (folder / "cmdline").read_bytes()
        except OSError:
            continue
        yield (
            int(folder.name),
            int(stat.rpartition(")")[2].split()[1]),
            line.replace(b"\0", b" ").decode(errors="replace"),
        )


def _run_ps() -> Iterator[tuple[int, int, str]]:
    shown = subprocess.run(
        ["ps", "-axww", "-o", "pid=,ppid=,command="], capture_output=True, text=True, check=True
    )
    for process in shown.stdout.splitlines():
        pid, parent, line = process.split(maxsplit=2)
        yield int(pid), int(parent), line


Process = subprocess.Popen[bytes]

PROJECT, RECONCILE, WORK = "projector", "reconciler", "worker"


def start_worker(module: str, url: str) -> Process:
    environ = {**os.environ, "REDIS_URL": url, "LOG_LEVEL": "error"}
    return subprocess.Popen([sys.executable, "-m", f"workers.{module}"], env=environ)


@contextmanager
def run_workers(url: str, modules: Sequence[str]) -> Iterator[list[Process]]:
    """One process a name; whoever is still there at the end is killed."""
    processes = [start_worker(module, url) for module in modules]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.wait()
