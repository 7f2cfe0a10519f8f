"""A server that somebody has started over a data folder, found by the note that it leaves there."""

import time
from contextlib import suppress
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.redis_inspection import Loading, read_loading
from events.store import Unavailable
from service.ops.server_binary import NoRedis


def find_running_url(data_dir: str | Path) -> str | None:
    """Where the server over this folder listens, if one runs; it may still be loading."""
    url = _read_url(Path(data_dir).absolute() / "redis")
    return url if url and _is_present(url) else None


def dismiss_orphan(folder: Path, timeout: float = 10.0) -> None:
    """We hold the lock, so a server still there has lost its supervisor; two would tear the log apart."""
    url = _read_url(folder)
    if url is None or not _is_present(url):
        return
    with _connect(url) as client, suppress(redis.RedisError):
        client.shutdown(nosave=True)
    end = time.monotonic() + timeout
    while _is_present(url):
        if time.monotonic() > end:
            raise NoRedis(f"an orphaned Redis still runs over {folder}: stop it by hand")
        time.sleep(0.02)


def _read_url(folder: Path) -> str | None:
    note = folder / "url"
    return note.read_text("utf-8") if note.is_file() else None


def _connect(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=5, retry=Retry(NoBackoff(), 0))


def is_answering(url: str) -> bool:
    with _connect(url) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False


def ask_loading(url: str) -> Loading | None:
    with _connect(url) as client, suppress(Unavailable):
        return read_loading(client)
    return None


def _is_present(url: str) -> bool:
    """A server that is still loading, or stopped, does not answer, but it is there."""
    with _connect(url) as client:
        try:
            return bool(client.ping())
        except (redis.BusyLoadingError, redis.TimeoutError):
            return True
        except redis.ConnectionError:
            return False
