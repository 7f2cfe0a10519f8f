"""Looks at a service many times a second while something is done to it."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from threading import Event, Thread
from types import TracebackType
from typing import Any, NamedTuple

from tests.support.waiting import wait_until

PERIOD = 0.1
LONGEST_REPLY = 10.0


class Look(NamedTuple):
    """`status` is 0 where there was no reply."""

    at: float
    address: str
    status: int
    seconds: float
    body: Any

    @property
    def word(self) -> str:
        """What /readyz says, in a word or two."""
        if self.status == 200:
            behind = sorted(lag["process"] for lag in self.body.get("behind", ()))
            return f"behind: {', '.join(behind)}" if behind else "ready"
        return str(self.body.get("cause", self.status)) if self.status else "no reply"


def look(base: str, address: str) -> Look:
    started = time.monotonic()
    try:
        with urllib.request.urlopen(base + address, timeout=LONGEST_REPLY) as reply:
            status, body = reply.status, reply.read()
    except urllib.error.HTTPError as refusal:
        with refusal:
            status, body = refusal.code, refusal.read()
    except (OSError, HTTPException):
        status, body = 0, b"{}"
    return Look(started, address, status, time.monotonic() - started, json.loads(body))


class Watcher:
    """Asks each address in turn, from a thread for each."""

    def __init__(self, base: str, *addresses: str) -> None:
        self.looks: list[Look] = []
        self._stopped = Event()
        self._threads = [Thread(target=self._watch, args=(base, address)) for address in addresses]

    def __enter__(self) -> Watcher:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def _watch(self, base: str, address: str) -> None:
        while not self._stopped.is_set():
            self.looks.append(look(base, address))
            self._stopped.wait(PERIOD)

    def select(self, address: str, since: float = 0.0) -> list[Look]:
        return [one for one in self.looks if one.address == address and one.at >= since]

    def await_look(
        self, address: str, since: float, fits: Callable[[Look], bool], limit: float
    ) -> Look | None:
        """The first that fits, begun after a time; None where none does within so many seconds of it."""
        found: list[Look] = []

        def is_settled() -> bool:
            found.extend(one for one in self.select(address, since) if fits(one))
            return bool(found) or time.monotonic() > since + limit

        wait_until(is_settled, "a look")
        return found[0] if found else None
