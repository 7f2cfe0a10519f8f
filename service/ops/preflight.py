"""Checks before a start: a Redis that keeps data, a free port."""

from __future__ import annotations

import errno
import socket
import time
from urllib.parse import urlsplit

from msgspec import Struct
from redis import Redis, exceptions

from events.redis import Loading, connect, inspect_server, is_well_formed
from events.store import Unavailable
from service.config import Misconfigured, Settings, say

# How often somebody who waits is told how far it is.
TELL_SECONDS = 5.0


class LoadingWait:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._loaded_bytes = -1
        self._next_word = 0.0

    def is_over(self) -> bool:
        return time.monotonic() > self._end

    def note_loading(self, loading: Loading) -> None:
        """Every byte more starts the waiting anew."""
        now = time.monotonic()
        if loading.loaded_bytes > self._loaded_bytes:
            self._loaded_bytes = loading.loaded_bytes
            self._end = now + self._seconds
        if now >= self._next_word:
            self._next_word = now + TELL_SECONDS
            say(f"Redis is loading its log: {loading.percent:.0f} %, about {loading.seconds_left} s left")


PATIENCE = 15.0
TICK = 0.1


class Away(Struct, frozen=True):
    """Why a server does not serve now; one that is loading is there."""

    reason: str
    loading: Loading | None = None


def await_redis(url: str, seconds: float = PATIENCE) -> None:
    """Raises Misconfigured for a server that stays away or could lose games."""
    if not is_well_formed(url):
        raise Misconfigured("REDIS_URL is not understood by the Redis client: check its options")
    patience, told = LoadingWait(seconds), False
    with connect(url) as client:
        while away := _find_reason_away(client, url):
            if away.loading:
                patience.note_loading(away.loading)
            elif not told:
                say(f"waiting up to {seconds:.0f} s for Redis at {address_of(url)} ({away.reason})")
                told = True
            if patience.is_over():
                raise Misconfigured(_refusal(url, away))
            time.sleep(TICK)


def _refusal(url: str, away: Away) -> str:
    if away.loading:
        return f"Redis at {address_of(url)} is stuck at {away.loading.percent:.0f} % of loading its log"
    return f"no Redis at {address_of(url)} ({away.reason}): start it, or correct REDIS_URL"


def refuse_unfit(client: Redis, url: str) -> None:
    """For API and workers. Raises Misconfigured; a server that is away may come back, so that is no fault."""
    _find_reason_away(client, url)


def await_free_port(settings: Settings, timeout: float = 5.0) -> None:
    """Waits, as a process that was just killed keeps its port a moment longer. Raises Misconfigured."""
    end = time.monotonic() + timeout
    while not _is_free(settings):
        if time.monotonic() > end:
            raise Misconfigured(f"{settings.authority} is in use by another program: choose another PORT")
        time.sleep(TICK)


def address_of(url: str) -> str:
    """The address without name and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _find_reason_away(client: Redis, url: str) -> Away | None:
    """Why the server cannot be asked now; None when it is fit. Raises Misconfigured when it is not."""
    try:
        inspection = inspect_server(client)
    except Unavailable as fault:
        if isinstance(fault.__cause__, exceptions.AuthenticationError):
            raise Misconfigured(f"Redis at {address_of(url)} does not let us in: {fault}") from fault
        return Away(str(fault))
    except exceptions.ResponseError as fault:
        raise Misconfigured(f"Redis at {address_of(url)} does not describe itself: {fault}") from fault
    if inspection.unfit:
        raise Misconfigured(f"Redis at {address_of(url)} cannot keep games: {'; '.join(inspection.unfit)}")
    return Away("it is loading its log", inspection.loading) if inspection.loading else None


def _is_free(settings: Settings) -> bool:
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
