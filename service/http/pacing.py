"""Holds refusals back when an address gets so many that they take more than their share of a process."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep

from service.recently_used import RecentlyUsed

MOST_CALLERS = 20_000
# The part of a process that the refusals of one address may take.
SHARE = 0.1
# Refusals that took this much of the processor are sent at once.
BURST_SECONDS = 0.05
# What the server takes for a request beside what is measured: to parse it, and to send the reply.
SERVER_SECONDS = 0.000_5
LONGEST_REST = 2.0


class RefusalPacing:
    """Keeps, for each address, until when the time that its refusals took would last at their share."""

    def __init__(
        self, clock: Callable[[], float] = monotonic, rest: Callable[[float], object] = sleep
    ) -> None:
        """Begin with no caller; `rest` waits for so many seconds."""
        self._clock = clock
        self._rest = rest
        self._paid_until: RecentlyUsed[float] = RecentlyUsed(MOST_CALLERS)

    def rest_after(self, address: str, seconds: float) -> None:
        """Wait if the refusals of this address take too much; `seconds` is what this one took."""
        now = self._clock()
        paid_until = max(self._paid_until.find(address) or 0.0, now) + (seconds + SERVER_SECONDS) / SHARE
        self._paid_until.keep(address, paid_until)
        ahead = paid_until - now - BURST_SECONDS / SHARE
        if ahead > 0:
            self._rest(min(ahead, LONGEST_REST))
