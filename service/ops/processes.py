"""Child processes that never outlive their parent."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

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


def _tie_to(parent: int) -> Callable[[], None]:
    return lambda: die_with_parent(parent)
