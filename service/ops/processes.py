"""Starts child processes that end with their parent, and plans how many connections a process holds."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

PR_SET_PDEATHSIG = 1

# Loaded before any fork: nothing may be imported between fork and exec.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this child process when its parent ends, for whatever reason."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def spawn(
    command: Sequence[str],
    environ: Mapping[str, str] | None = None,
    stdin: int = subprocess.DEVNULL,
    stdout: int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a child process that ends with this one."""
    # A session of its own, so that Ctrl-C reaches only the supervisor, which stops the rest in order.
    return subprocess.Popen(
        command,
        env=environ,
        stdin=stdin,
        stdout=stdout,
        start_new_session=True,
        preexec_fn=_tie_to(os.getpid()),
    )


def stop(process: subprocess.Popen[bytes], grace: float) -> None:
    """Terminate a process and block until it has ended; kill it after `grace` seconds."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class StoppedTimer:
    """Measures how long a process has been stopped, as by SIGSTOP; for a process without a heartbeat.

    A process that is only slow, because of its disk or a long log, is not stopped. Works on Linux only.
    """

    def __init__(self) -> None:
        """Begin with a process that is not stopped."""
        self._since: dict[int, float] = {}

    def __call__(self, process: subprocess.Popen[bytes]) -> float:
        """Return for how many seconds the process has been stopped; 0 if it is not."""
        if not is_stopped(process.pid):
            self._since.clear()
            return 0.0
        now = time.monotonic()
        return now - self._since.setdefault(process.pid, now)


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped, as by SIGSTOP."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("T", "t")
    except OSError:
        return False


def _tie_to(parent: int) -> Callable[[], None]:
    return lambda: die_with_parent(parent)


# For Redis, for files, and for a connection that is accepted while another is closed.
RESERVED = 128
# With more, a process would run out of memory first.
MOST_CONNECTIONS = 4_000
LEAST_CONNECTIONS = 64


class Capacity(Struct, frozen=True):
    """Says how many connections a process holds, and how many of them may be streams.

    The rest is for requests.
    """

    connections: int
    streams: int


def raise_descriptor_limit() -> None:
    """Raise the limit of open files as far as the process may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def measure_capacity() -> Capacity:
    """Return the capacity of this process under its limit of open files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return plan_capacity(MOST_CONNECTIONS + RESERVED if soft == resource.RLIM_INFINITY else soft)


def plan_capacity(descriptors: int) -> Capacity:
    """Return the capacity of a process with this limit of open files."""
    connections = min(MOST_CONNECTIONS, max(LEAST_CONNECTIONS, descriptors - RESERVED))
    return Capacity(connections, connections * 3 // 4)
