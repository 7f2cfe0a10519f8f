"""Supervises child processes: restarts those that die or hang, and stops all in order."""

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from types import FrameType

from service import logs
from service.ops.processes import stop
from service.run_folder import HANG_SECONDS, beat_for, forget_process

FIRST_DELAY = 0.1
LONGEST_DELAY = 5.0
# A child that lived this long was healthy: its next restart is quick again.
HEALTHY_AFTER = 10.0
# The API gives open streams three seconds; this leaves it time to end by itself.
GRACE = 6.0
TICK = 0.05
# If a round is that late, this process was stopped itself.
LONGEST_TICK = 5.0

PeriodicTask = Callable[[], None]
Silence = Callable[[subprocess.Popen[bytes]], float]
Launch = Callable[[], subprocess.Popen[bytes]]

log = logs.logger()


def never_silent(process: subprocess.Popen[bytes]) -> float:
    """Return 0: the heartbeat of a process that has none."""
    return 0.0


class Child:
    """Supervises a process that should always run, and knows the time of its next restart."""

    def __init__(
        self,
        name: str,
        launch: Launch,
        process: subprocess.Popen[bytes] | None = None,
        measure_silence: Silence = never_silent,
        hang_seconds: float = HANG_SECONDS,
    ) -> None:
        """Prepare a child; `measure_silence` returns the seconds since the last heartbeat of its process."""
        self.name = name
        self.launch = launch
        self.process = process
        self._measure_silence = measure_silence
        self._hang_seconds = hang_seconds
        self._delay = FIRST_DELAY
        self._started = time.monotonic()
        self._restart_at = self._started

    def supervise(self) -> None:
        """Start the process if it is due, and kill it if it hangs."""
        if self.process is not None and self.process.poll() is not None:
            self._record_exit(self.process.returncode)
        if self.process is not None:
            self._kill_if_hung(self.process)
        if self.process is None and time.monotonic() >= self._restart_at:
            self._start()

    def _kill_if_hung(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a process that was stopped or runs in an endless loop: it would never end by itself."""
        silence = self._measure_silence(process)
        if silence > self._hang_seconds:
            log.error(
                "child_hung",
                child=self.name,
                pid=process.pid,
                silent=round(silence, 1),
                meaning="the process gave no heartbeat and is killed and restarted",
                action="read the last log lines of this process; if it happens again, report them",
            )
            process.kill()
            process.wait()

    def _record_exit(self, code: int) -> None:
        """Log the end of the process and plan its restart, later after each failure."""
        now = time.monotonic()
        if now - self._started > HEALTHY_AFTER:
            self._delay = FIRST_DELAY
        self._restart_at = now + self._delay
        self.process = None
        forget_process(self.name)
        log.warning(
            "child_died",
            child=self.name,
            code=code,
            restart_in=self._delay,
            meaning="the process ended and is restarted",
            action="if it keeps ending, read its log lines before this one",
        )
        self._delay = min(self._delay * 2, LONGEST_DELAY)

    def _start(self) -> None:
        """Start the process."""
        self.process = self.launch()
        self._started = time.monotonic()
        log.debug("child_started", child=self.name, pid=self.process.pid)


class Supervisor:
    """Runs children until a signal. At the end, children stop first and the base (Redis) after them."""

    def __init__(
        self,
        children: Sequence[Child],
        base: Sequence[Child] = (),
        ready: Callable[[], bool] = lambda: True,
        announce: Callable[[], None] = lambda: None,
        grace: float = GRACE,
        tasks: Sequence[PeriodicTask] = (),
    ) -> None:
        """Prepare to supervise; `tasks` are called many times a second and must be quick."""
        self.children = children
        self.base = base
        self.stopping = False
        self._ready = ready
        self._announce = announce
        self._grace = grace
        self._tasks = tasks

    def run(self) -> int:
        """Supervise until SIGTERM, SIGINT or SIGHUP, then stop everything and return 0. Blocks."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        try:
            self._supervise_until_stopped()
        finally:
            self._stop_all(self.children)
            self._stop_all(self.base)
        return 0

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Ask the supervisor to stop."""
        self.stopping = True

    def _supervise_until_stopped(self) -> None:
        """Supervise all children and call the tasks, many times a second, until a signal. Blocks."""
        announced = False
        last = time.monotonic()
        while not self.stopping:
            last = self._excuse_pause(last)
            for child in (*self.base, *self.children):
                child.supervise()
            for task in self._tasks:
                task()
            if not announced and self._ready():
                self._announce()
                announced = True
            time.sleep(TICK)

    def _excuse_pause(self, last: float) -> float:
        """Return the time now. After a pause of this process, record a heartbeat for all children.

        They may have been stopped together with it and had no chance to record one.
        """
        now = time.monotonic()
        if now - last > LONGEST_TICK:
            for child in self.children:
                beat_for(child.name)
        return now

    def _stop_all(self, children: Sequence[Child]) -> None:
        """Terminate these children, block until they have ended, and kill those that do not end in time."""
        running = [child.process for child in children if child.process is not None]
        for process in running:
            if process.poll() is None:
                process.terminate()
        end = time.monotonic() + self._grace
        for process in running:
            stop(process, max(0.0, end - time.monotonic()))
