"""The clock of the machine is set under a running service. Needs gcc, for a library before the clock."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.faults.outages.attacked import NotRun, now
from tests.support.http_client import HttpService
from tests.support.service_process import descendants_matching, kill, run_service
from tests.support.waiting import wait_until

SOURCE = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long shift(void) {
    char text[32] = {0};
    const char *path = getenv("SHIFTED_CLOCK");
    int fd = path ? (int) syscall(SYS_openat, AT_FDCWD, path, O_RDONLY) : -1;
    if (fd < 0) return 0;
    syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    return atol(text);
}
int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int) syscall(SYS_clock_gettime, clock, time);
    if (!result && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += shift();
    return result;
}
int gettimeofday(struct timeval *time, void *zone) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    time->tv_sec = found.tv_sec;
    time->tv_usec = found.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *seconds) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (seconds) *seconds = found.tv_sec;
    return found.tv_sec;
}
"""
HOUR = 3600
JUMPS = (HOUR, -HOUR, 8 * 24 * HOUR, -8 * 24 * HOUR)
HOLD_SECONDS = 15
TURN_SECONDS = 5


class Tables:
    """Tables at which nobody answers: one soon late, one with time, one without limit, and one not full."""

    def __init__(self, http: HttpService) -> None:
        self._http = http
        self.late = self._create(turn_seconds=TURN_SECONDS)
        self._others = [self._create(turn_seconds=HOUR // 2), self._create(), self._create(is_full=False)]

    def _create(self, is_full: bool = True, **options: int) -> str:
        seats: list[dict[str, Any]] = [{"name": "Anna"}, {"name": "Ben"} if is_full else {"open": True}]
        plan = {"edition": "classic", "seats": seats, "options": options}
        return str(self._http.call("POST", "/v1/games", plan).json["id"])

    def authors(self, game: str) -> list[str]:
        commits = self._http.call("GET", f"/v1/games/{game}/events").json["commits"]
        return [commit["by"] for commit in commits]

    def are_untouched(self) -> bool:
        """Whether nothing was answered or closed at the tables that have time."""
        return all(self.authors(game) == ["creator"] for game in self._others)


def build_library(folder: Path) -> Path:
    """A library that adds the number in a file to the wall clock."""
    source, library = folder / "clock.c", folder / "clock.so"
    source.write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def run(folder: Path, jumps: tuple[int, ...] = JUMPS) -> bool:
    if not shutil.which("gcc"):
        raise NotRun("it needs gcc")
    shift = folder / "shift"
    shift.write_text("0")
    settings = {
        "LD_PRELOAD": str(build_library(folder)),
        "SHIFTED_CLOCK": str(shift),
        "CLOCK_HOLD_SECONDS": str(HOLD_SECONDS),
    }
    with run_service(folder / "data", None, **settings) as (base, process):
        held = [set_clock(HttpService(base), shift, jump, process.pid) for jump in jumps]
    return all(held)


def set_clock(http: HttpService, shift: Path, jump: int, pid: int) -> bool:
    """Set the clock and back again; who works by it is killed, and starts with the new time."""
    tables = Tables(http)
    started = now()
    shift.write_text(str(jump))
    kill(descendants_matching(pid, "workers.(reconciler|worker)"))

    def clock() -> Any:
        return http.call("GET", "/readyz").json["clock"]

    wait_until(lambda: clock()["held"] > 0, "a word of the clock")
    told = clock()
    wait_until(lambda: len(tables.authors(tables.late)) > 1, "an answer for somebody who is late")
    answered = now() - started
    fresh = Tables(http)
    wait_until(lambda: fresh.authors(fresh.late)[1:] == ["clock"], "an answer at a new table")
    held = answered >= HOLD_SECONDS - 1 and abs(told["ahead"] - jump) < 1
    held = held and tables.are_untouched() and fresh.are_untouched()
    shift.write_text("0")
    wait_until(lambda: clock()["ahead"] == 0 and clock()["held"] == 0, "both clocks agreeing again")
    print(f"   set by {jump} s: told {told}; late by the service's time after {answered:.0f} s", flush=True)
    return held
