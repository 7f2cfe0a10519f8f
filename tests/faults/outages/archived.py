"""Processes are killed while they archive a game or restore a backup, in a folder and in a bucket of moto."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from service.ops.redis_server import RedisServer
from tests.faults.outages.attacked import NotRun
from tests.support.programs import find_program
from tests.support.waiting import wait_until

KILLS = 200
MOTO = "moto_server"
PORT = 5987


def killed_with_a_folder(folder: Path) -> bool:
    return _kill(folder, f"file://{folder}/archive", {})


def killed_with_a_bucket(folder: Path) -> bool:
    """With moto: `pip install 'moto[server]'`, in an environment of its own on the PATH."""
    with _run_moto() as environ:
        return _kill(folder, "s3://games/archive", environ)


def killed_restore_into_a_folder(folder: Path) -> bool:
    return _kill(folder, f"file://{folder}/archive", {}, is_restore=True)


def killed_restore_into_a_bucket(folder: Path) -> bool:
    with _run_moto() as environ:
        return _kill(folder, "s3://games/archive", environ, is_restore=True)


def _kill(folder: Path, archive_url: str, environ: dict[str, str], is_restore: bool = False) -> bool:
    with RedisServer(folder / "redis") as server:
        module = "tests.support.killed_restore" if is_restore else "tests.support.killed_archiving"
        backup = [str(folder / "backup")] if is_restore else []
        command = [sys.executable, "-m", module, server.url, archive_url, *backup, str(KILLS)]
        done = subprocess.run(command, env=os.environ | environ, capture_output=True, text=True)
    print(f"  killed {done.stdout.strip() or 0} of {KILLS} times {done.stderr[-500:]}")
    return done.returncode == 0


@contextmanager
def _run_moto() -> Iterator[dict[str, str]]:
    """The settings with which a service finds its bucket."""
    program = find_program(MOTO)
    if program is None:
        raise NotRun(f"there is no {MOTO}")
    url = f"http://127.0.0.1:{PORT}"
    with subprocess.Popen([program, "-p", str(PORT)], stderr=subprocess.DEVNULL) as server:
        try:
            wait_until(lambda: _make_bucket(url), "moto")
            yield {
                "AWS_ENDPOINT_URL": url,
                "AWS_ACCESS_KEY_ID": "key",
                "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_REGION": "us-east-1",
            }
        finally:
            server.kill()


def _make_bucket(url: str) -> bool:
    try:
        return bool(urlopen(Request(f"{url}/games", method="PUT"), timeout=5).status == 200)
    except OSError:
        return False
