"""The whole service as `croupier run` starts it: every process, over a folder of its own."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path

from service.ops import run
from tests.support.waiting import PATIENCE, wait_until

# Another checkout with a virtual environment of its own, to be attacked in place of this one.
TREE = os.environ.get("CROUPIER_TREE")
PYTHON = f"{TREE}/.venv/bin/python" if TREE else sys.executable
CROUPIER = [PYTHON, "-c", "from service.cli import main; raise SystemExit(main())"]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


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
