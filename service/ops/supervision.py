"""Keeps Redis, the API and the workers running, restarts what dies, and stops them in order."""

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from types import FrameType

from service import logs
from service.ops.processes import stop
from service.run_folder import forget_process

FIRST_DELAY = 0.1
LONGEST_DELAY = 5.0
# A child that lived this long was healthy: its next restart is quick again.
HEALTHY_AFTER = 10.0
# The API gives open streams three seconds; this leaves it room to leave by itself.
GRACE = 6.0
TICK = 0.05

Chore = Callable[[], None]
Launch = Callable[[], subprocess.Popen[bytes]]

log = logs.logger()


class Child:
    """A process that should always run, and when it may be started again."""

    def __init__(self, name: str, launch: Launch, process: subprocess.Popen[bytes] | None = None) -> None:
        self.name = name
        self.launch = launch
        self.process = process
        self._delay = FIRST_DELAY
        self._started = self._due = time.monotonic()

    def tend(self) -> None:
        if self.process is not None and self.process.poll() is not None:
            self._note_death(self.process.returncode)
        if self.process is None and time.monotonic() >= self._due:
            self._start()

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
        log.info("child_started", child=self.name, pid=self.process.pid)


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
        announced = False
        while not self.stopping:
            for child in (*self.base, *self.children):
                child.tend()
            for chore in self._chores:
                chore()
            if not announced and self._ready():
                self._announce()
                announced = True
            time.sleep(TICK)

    def _stop_all(self, children: Sequence[Child]) -> None:
        running = [child.process for child in children if child.process is not None]
        for process in running:
            if process.poll() is None:
                process.terminate()
        end = time.monotonic() + self._grace
        for process in running:
            stop(process, max(0.0, end - time.monotonic()))
