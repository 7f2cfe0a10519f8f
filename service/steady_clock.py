"""The time of the service, which does not jump when the clock of the machine is set: `SteadyClock`.

Deadlines, rate limits and the times in the log come from here. The wall clock is compared with the time
since the machine was started, which nobody can set. While both run alike, the service has the time of the
wall clock. If the wall clock jumps, the service goes on with its own time, answers and closes nothing by the
clock for a while (the hold), and then moves its time towards the wall clock, too slowly to be noticed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from math import copysign
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from redis import Redis
from redis.exceptions import RedisError

from service import logs

# A smaller change is taken for a correction, and followed.
JUMP_SECONDS = 30.0
HOLD_SECONDS = 600
# After the hold the service's time may gain or lose so many seconds in each second: 36 an hour.
SLEW = 0.01
# Closer than this, the service's time has caught up with the wall clock.
CLOSE_SECONDS = 1.0
# How often a process reads what the others have seen, and how old the stored time of the service may be.
SYNC_SECONDS = 5.0
STORE_SECONDS = 60.0
# A machine that was not seen for so long is forgotten.
MEMORY_SECONDS = 30 * 24 * 3600
_PREFIX = "croupier:{clock}:"
_LAST = _PREFIX + "last"

log = logs.logger()


class Timekeeping(Struct, frozen=True):
    """Holds what the processes of one machine know of its clock.

    An offset is the wall clock minus the seconds since the machine started. `offset` is the one that the
    service goes by. After a jump, `since` is when it was seen, in seconds since the start of the machine, and
    `seen` is the offset of the wall clock after it. `jumps` counts them.
    """

    offset: float
    seen: float = 0.0
    since: float | None = None
    jumps: int = 0

    def offset_at(self, uptime: float, hold: float) -> float:
        """Return the offset that the service goes by at that moment."""
        if self.since is None:
            return self.offset
        apart = self.seen - self.offset
        moved = min(abs(apart), SLEW * max(0.0, uptime - self.since - hold))
        return self.offset + copysign(moved, apart)


def follow(kept: Timekeeping, uptime: float, offset: float, hold: float) -> Timekeeping:
    """Return what is known after a look at the clocks, which found this offset."""
    if kept.since is None:
        if abs(offset - kept.offset) <= JUMP_SECONDS:
            return replace(kept, offset=offset)
        return replace(kept, seen=offset, since=uptime, jumps=kept.jumps + 1)
    own = kept.offset_at(uptime, hold)
    has_moved = abs(offset - kept.seen) > JUMP_SECONDS
    if abs(offset - own) <= (JUMP_SECONDS if has_moved else CLOSE_SECONDS):
        return Timekeeping(offset, jumps=kept.jumps)
    if has_moved:
        return Timekeeping(own, seen=offset, since=uptime, jumps=kept.jumps + 1)
    # Small corrections of the wall clock are followed here, too.
    return replace(kept, seen=offset)


class ClockReport(Struct, frozen=True):
    """The wall clock compared with the time of the service, in seconds.

    `ahead` is how far the wall clock is ahead; less than 0 if it is behind. For `held` seconds more nothing
    is answered or closed by the clock. `jumps` counts how often the wall clock was set.
    """

    ahead: float
    held: float
    jumps: int


def read_uptime() -> float:
    """Return the seconds since the machine was started, sleep included where the system counts it."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def read_boot_id() -> str:
    """Return what tells this run of this machine from all others; empty where the system has no such id."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("utf-8").strip()
        # A container may have a time of its own since its start.
        return f"{boot} {os.readlink('/proc/self/ns/time')}"
    return ""


class SteadyClock:
    """Tells the time of the service; an instance for each process, which share what they see through Redis.

    A process that starts after a jump learns of it from the others, or from what they have stored.
    """

    def __init__(
        self,
        client: Redis,
        hold_seconds: float = HOLD_SECONDS,
        wall: Callable[[], float] = time.time,
        uptime: Callable[[], float] = read_uptime,
        boot_id: str | None = None,
    ) -> None:
        """Share through that client's Redis; nothing is sent yet."""
        self._redis: Any = client
        self._hold = hold_seconds
        self._wall = wall
        self._uptime = uptime
        self._boot_id = read_boot_id() if boot_id is None else boot_id
        self._kept: Timekeeping | None = None
        self._next_sync = 0.0
        # What Redis has, as far as this process knows: when the jump was, and until when its time is recent.
        self._stored_since: float | None = None
        self._next_store = 0.0

    def __call__(self) -> datetime:
        """Return the present time of the service."""
        return datetime.fromtimestamp(self.timestamp(), UTC)

    def timestamp(self) -> float:
        """Return the present time of the service in seconds since 1970."""
        uptime, kept = self._look()
        return uptime + kept.offset_at(uptime, self._hold)

    def is_held(self) -> bool:
        """Return whether the clock jumped a short while ago: nothing may be answered or closed by it now."""
        uptime, kept = self._look()
        return self._hold_left(kept, uptime) > 0

    def report(self) -> ClockReport:
        """Return how the wall clock and the time of the service compare."""
        uptime, kept = self._look()
        apart = 0.0 if kept.since is None else kept.seen - kept.offset_at(uptime, self._hold)
        return ClockReport(round(apart, 3), round(self._hold_left(kept, uptime), 3), kept.jumps)

    def _hold_left(self, kept: Timekeeping, uptime: float) -> float:
        """Return for how many seconds more nothing is done by the clock."""
        return 0.0 if kept.since is None else max(0.0, kept.since + self._hold - uptime)

    def _look(self) -> tuple[float, Timekeeping]:
        """Look at both clocks. Return the seconds since the machine started, and what is known."""
        uptime = self._uptime()
        offset = self._wall() - uptime
        before = self._kept
        is_due = before is None or uptime >= self._next_sync
        if is_due:
            self._next_sync = uptime + SYNC_SECONDS
            before = self._load(uptime, offset) or before or Timekeeping(offset)
        assert before is not None
        kept = follow(before, uptime, offset, self._hold)
        self._kept = kept
        if kept.jumps > before.jumps:
            self._log_jump(kept)
        if kept.since != self._stored_since or uptime >= self._next_store:
            self._store(kept, uptime)
        return uptime, kept

    def _load(self, uptime: float, offset: float) -> Timekeeping | None:
        """Return what the processes of this machine have stored; None if nothing, or if Redis is away.

        A machine that starts with a clock behind the last time of the service goes on from there.
        """
        if not self._boot_id:
            return None
        with suppress(RedisError):
            stored, last = self._redis.mget(_PREFIX + self._boot_id, _LAST)
            if stored is not None:
                kept = msgspec.json.decode(stored, type=Timekeeping)
                self._stored_since = kept.since
                if last is not None:
                    self._next_store = float(last) - kept.offset_at(uptime, self._hold) + STORE_SECONDS
                return kept
            if self._kept is None and last is not None:
                return Timekeeping(max(offset, float(last) - uptime))
        return None

    def _store(self, kept: Timekeeping, uptime: float) -> None:
        """Store what is known for the other processes, and the time of the service; skip it without Redis."""
        # What could not be stored is found missing, and stored, when Redis is read again.
        self._stored_since = kept.since
        self._next_store = uptime + STORE_SECONDS
        if self._boot_id:
            with suppress(RedisError):
                now = uptime + kept.offset_at(uptime, self._hold)
                self._redis.set(_PREFIX + self._boot_id, msgspec.json.encode(kept), ex=MEMORY_SECONDS)
                self._redis.set(_LAST, repr(now))

    def _log_jump(self, kept: Timekeeping) -> None:
        """Log that the clock jumped."""
        log.warning(
            "clock_jumped",
            seconds=round(kept.seen - kept.offset, 3),
            meaning="the clock of the machine was set; the service goes on with its own time, and for "
            f"{self._hold:g} s nothing is answered or closed by the clock",
            action="set the clock right; if it is right, nothing: the service's time slowly follows it",
        )
