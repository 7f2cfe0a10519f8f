"""Child processes that never outlive their parent."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1

# Loaded before any fork: nothing may be imported between fork and exec.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(parent: int) -> None:
    """Called in the child: the kernel kills it when the parent is gone, however it went."""
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
    # A session of its own, so that Ctrl-C reaches the supervisor alone and it stops the rest in order.
    return subprocess.Popen(
        command,
        env=environ,
        stdin=stdin,
        stdout=stdout,
        start_new_session=True,
        preexec_fn=_tie_to(os.getpid()),
    )


def stop(process: subprocess.Popen[bytes], grace: float) -> None:
    """Asks first, then insists."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class StopWatch:
    """For a process that gives no sign of life: how long it has been stopped, as by SIGSTOP.

    One that only takes its time, over a slow disk or a long log, is not stopped. Known on Linux alone.
    """

    def __init__(self) -> None:
        self._since: dict[int, float] = {}

    def __call__(self, process: subprocess.Popen[bytes]) -> float:
        if not is_stopped(process.pid):
            self._since.clear()
            return 0.0
        now = time.monotonic()
        return now - self._since.setdefault(process.pid, now)


def is_stopped(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("T", "t")
    except OSError:
        return False


def _tie_to(parent: int) -> Callable[[], None]:
    return lambda: die_with_parent(parent)
