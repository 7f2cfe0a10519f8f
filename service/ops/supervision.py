"""Supervises child processes: restarts what dies, stops them in order."""

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
# The API gives open streams three seconds; this leaves it room to leave by itself.
GRACE = 6.0
TICK = 0.05
# Between two rounds: whoever is that late was stopped.
LONGEST_TICK = 5.0

Chore = Callable[[], None]
Silence = Callable[[subprocess.Popen[bytes]], float]
Launch = Callable[[], subprocess.Popen[bytes]]

log = logs.logger()


def never_silent(process: subprocess.Popen[bytes]) -> float:
    return 0.0


class Child:
    """A process that should always run, and when it may be started again."""

    def __init__(
        self,
        name: str,
        launch: Launch,
        process: subprocess.Popen[bytes] | None = None,
        measure_silence: Silence = never_silent,
        hang_seconds: float = HANG_SECONDS,
    ) -> None:
        """`measure_silence` says how long a process has shown no sign of life."""
        self.name = name
        self.launch = launch
        self.process = process
        self._measure_silence, self._hang_seconds = measure_silence, hang_seconds
        self._delay = FIRST_DELAY
        self._started = self._due = time.monotonic()

    def tend(self) -> None:
        if self.process is not None and self.process.poll() is not None:
            self._note_death(self.process.returncode)
        if self.process is not None:
            self._kill_if_hung(self.process)
        if self.process is None and time.monotonic() >= self._due:
            self._start()

    def _kill_if_hung(self, process: subprocess.Popen[bytes]) -> None:
        """One that was stopped, or goes round in circles, would never leave by itself."""
        silence = self._measure_silence(process)
        if silence > self._hang_seconds:
            log.error("child_hung", child=self.name, pid=process.pid, silent=round(silence, 1))
            process.kill()
            process.wait()

    def _note_death(self, code: int) -> None:
        now = time.monotonic()
        self._delay = FIRST_DELAY if now - self._started > HEALTHY_AFTER else self._delay
        self._due = now + self._delay
        self.process = None
        forget_process(self.name)
        log.warning("child_died", child=self.name, code=code, restart_in=self._delay)
        self._delay = min(self._delay * 2, LONGEST_DELAY)

    def _start(self) -> None:
        self.process = self.launch()
        self._started = time.monotonic()
        log.debug("child_started", child=self.name, pid=self.process.pid)


class Supervisor:
    """Children are stopped together, the base (Redis) after all that use it."""

    def __init__(
        self,
        children: Sequence[Child],
        base: Sequence[Child] = (),
        ready: Callable[[], bool] = lambda: True,
        announce: Callable[[], None] = lambda: None,
        grace: float = GRACE,
        chores: Sequence[Chore] = (),
    ) -> None:
        """`chores` are done many times a second and must be quick."""
        self.children = children
        self.base = base
        self.stopping = False
        self._ready = ready
        self._announce = announce
        self._grace = grace
        self._chores = chores

    def run(self) -> int:
        """Returns 0 after SIGTERM, SIGINT or SIGHUP."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        try:
            self._tend_until_told()
        finally:
            self._stop_all(self.children)
            self._stop_all(self.base)
        return 0

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _tend_until_told(self) -> None:
        announced, last = False, time.monotonic()
        while not self.stopping:
            last = self._excuse_pause(last)
            for child in (*self.base, *self.children):
                child.tend()
            for chore in self._chores:
                chore()
            if not announced and self._ready():
                self._announce()
                announced = True
            time.sleep(TICK)

    def _excuse_pause(self, last: float) -> float:
        """Who was stopped together with us had no chance to show a sign of life. Returns the time now."""
        now = time.monotonic()
        if now - last > LONGEST_TICK:
            for child in self.children:
                beat_for(child.name)
        return now

    def _stop_all(self, children: Sequence[Child]) -> None:
        running = [child.process for child in children if child.process is not None]
        for process in running:
            if process.poll() is None:
                process.terminate()
        end = time.monotonic() + self._grace
        for process in running:
            stop(process, max(0.0, end - time.monotonic()))
