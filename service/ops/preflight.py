"""Checks before a start that Redis is there and keeps its data, and that the port is free."""

from __future__ import annotations

import errno
import socket
import time
from urllib.parse import urlsplit

from msgspec import Struct
from redis import Redis, exceptions

from events.inspection import Loading, inspect_server
from events.redis import connect, is_well_formed
from events.store import Unavailable
from service.config import Misconfigured, Settings, say

# How often progress is printed.
REPORT_SECONDS = 5.0


class LoadingWait:
    """Measures a timeout that begins again whenever Redis has loaded more of its log."""

    def __init__(self, seconds: float) -> None:
        """Begin the timeout now."""
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._loaded_bytes = -1
        self._next_report = 0.0

    def is_over(self) -> bool:
        """Return whether the time is over."""
        return time.monotonic() > self._end

    def record_progress(self, loading: Loading) -> None:
        """Extend the timeout if more was loaded, and print the progress from time to time."""
        now = time.monotonic()
        if loading.loaded_bytes > self._loaded_bytes:
            self._loaded_bytes = loading.loaded_bytes
            self._end = now + self._seconds
        if now >= self._next_report:
            self._next_report = now + REPORT_SECONDS
            say(f"Redis is loading its log: {loading.percent:.0f} %, about {loading.seconds_left} s left")


PATIENCE = 15.0
TICK = 0.1


class NotReady(Struct, frozen=True):
    """Says why Redis cannot be used now; `loading` is set while it loads its log."""

    reason: str
    loading: Loading | None = None


def await_redis(url: str, seconds: float = PATIENCE, trusted: bool = False) -> None:
    """Block until Redis can be used. Raises Misconfigured if it stays away or could lose games.

    A `trusted` server need not say how it keeps them.
    """
    if not is_well_formed(url):
        raise Misconfigured("REDIS_URL is not understood by the Redis client: check its options")
    wait = LoadingWait(seconds)
    is_reported = False
    with connect(url) as client:
        while problem := _find_problem(client, url, trusted):
            if problem.loading:
                wait.record_progress(problem.loading)
            elif not is_reported:
                say(f"waiting up to {seconds:.0f} s for Redis at {address_of(url)} ({problem.reason})")
                is_reported = True
            if wait.is_over():
                raise Misconfigured(_describe(url, problem))
            time.sleep(TICK)


def _describe(url: str, problem: NotReady) -> str:
    if problem.loading:
        return f"Redis at {address_of(url)} is stuck at {problem.loading.percent:.0f} % of loading its log"
    return f"no Redis at {address_of(url)} ({problem.reason}): start it, or correct REDIS_URL"


def check_redis(client: Redis, url: str, trusted: bool = False) -> None:
    """Raise Misconfigured if Redis could lose games; one that does not answer now may come back."""
    _find_problem(client, url, trusted)


def await_free_port(settings: Settings, timeout: float = 5.0) -> None:
    """Block until the port is free: a process that was just killed keeps it a moment longer.

    Raises Misconfigured if it stays in use.
    """
    end = time.monotonic() + timeout
    while not _is_free(settings):
        if time.monotonic() > end:
            raise Misconfigured(f"{settings.authority} is in use by another program: choose another PORT")
        time.sleep(TICK)


def address_of(url: str) -> str:
    """Return the address without user name and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _find_problem(client: Redis, url: str, trusted: bool) -> NotReady | None:
    """Return why Redis cannot be used now, or None if it can. Raises Misconfigured if it never can."""
    try:
        inspection = inspect_server(client, trusted)
    except Unavailable as fault:
        if isinstance(fault.__cause__, exceptions.AuthenticationError):
            raise Misconfigured(f"Redis at {address_of(url)} does not let us in: {fault}") from fault
        return NotReady(str(fault))
    except exceptions.ResponseError as fault:
        raise Misconfigured(
            f"Redis at {address_of(url)} does not describe itself: {fault}; if it is known to keep what is "
            "written, set REDIS_SETTINGS=trusted"
        ) from fault
    if inspection.unfit:
        raise Misconfigured(f"Redis at {address_of(url)} cannot keep games: {'; '.join(inspection.unfit)}")
    if inspection.loading:
        return NotReady("it is loading its log", inspection.loading)
    return None


def _is_free(settings: Settings) -> bool:
    """Return whether the port can be bound now."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as fault:
            if fault.errno != errno.EADDRINUSE:
                raise Misconfigured(_bind_failure(settings, fault)) from fault
            return False
    return True


def _bind_failure(settings: Settings, fault: OSError) -> str:
    if isinstance(fault, socket.gaierror) or fault.errno == errno.EADDRNOTAVAIL:
        return f"HOST {settings.host} is no address of this machine ({fault.strerror})"
    return f"cannot listen on {settings.authority}: {fault.strerror}"
