"""Kills a process again and again while it archives a game or brings one back, and looks for the game.

`python -m tests.support.killed_archiving REDIS_URL ARCHIVE_URL TRIALS` exits with 0 if the game was whole, in
one place or the other, after each kill. Each trial kills at another line of the program.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from events.archive import Archive
from events.objects import open_objects
from events.redis import connect
from service.container import Backend, build_backend
from service.fairness.export_file import write_file
from service.lobby.rebuild import describe_game
from service.stats.counts import summarise
from tests.support.finished_games import finished_log
from tests.support.release_games import state_of

ROOT = Path(__file__).parents[2]
# Every line of these is a step.
STEPS = ("events/archive.py", "events/objects.py", "events/redis_store.py", "service/history/archiving.py")
VAULT = {"token:abc": "0", "creator": "someone"}


def in_child(act: Callable[[], object]) -> int:
    """Run it in a process of its own, and return how that ended."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    try:
        act()
    except BaseException as fault:
        traceback.print_exception(fault)
        os._exit(1)
    os._exit(0)


class Trials:
    """Trials with one game in one Redis and one archive."""

    def __init__(self, redis_url: str, archive_url: str) -> None:
        self._redis_url = redis_url
        self._archive_url = archive_url
        self.game, self._commits, seed = finished_log()
        self._vault = {**VAULT, "seed": seed}
        self._export = write_file(self._commits)
        self._counts = dict(sorted(summarise(self._commits, state_of(self._commits)).counts.items()))

    def with_backend(self, act: Callable[[Backend], None]) -> Callable[[], None]:
        """What is done with a backend that a process opens for itself."""

        def run() -> None:
            with connect(self._redis_url) as client:
                act(build_backend(client, archive=Archive(open_objects(self._archive_url))))

        return run

    def store(self, backend: Backend) -> None:
        backend.store.create_with_history(self.game, self._commits, self._vault)
        describe_game(backend, self.game)
        backend.stats.count(self.game)

    def archive(self, backend: Backend) -> None:
        assert backend.archiver is not None
        assert backend.archiver.archive(self.game)

    def bring_back(self, backend: Backend) -> None:
        """As a rematch does, or an operator who adds a secret."""
        backend.store.add_to_vault(self.game, {"creator": "someone"})

    def check(self, backend: Backend) -> None:
        """The game is there, in one place, with all that belongs to it; it is listed and counted once."""
        assert backend.store.read(self.game) == list(self._commits)
        assert backend.files.export(self.game).file == self._export
        assert dict(backend.store.vault(self.game)) == self._vault
        assert backend.store.is_archived(self.game) != bool(backend.store.list_games())
        if not backend.store.is_archived(self.game):
            # As the projector and the reconciler do.
            describe_game(backend, self.game)
            backend.stats.count(self.game)
        assert [line.id for line in backend.lobby.page().games] == [self.game]
        assert backend.stats.read_counts() == self._counts

    def check_archived(self, backend: Backend) -> None:
        self.check(backend)
        assert backend.store.list_archived() == [self.game]

    def kill_at(self, line: int, act: Callable[[Backend], None]) -> int:
        """Let a process die at this line; return how it ended."""
        return in_child(lambda: die_at(line, self.with_backend(act), STEPS))

    def count_lines(self, act: Callable[[Backend], None]) -> int:
        """Do it, and return how many lines that took."""
        reading, writing = os.pipe()

        def count() -> None:
            lines = die_at(-1, self.with_backend(act), STEPS)
            os.write(writing, str(lines).encode())

        assert in_child(count) == 0
        return int(os.read(reading, 20))

    def must(self, act: Callable[[Backend], None]) -> None:
        """Do it in a process that must end well."""
        assert in_child(self.with_backend(act)) == 0, act.__name__


def die_at(line: int, act: Callable[[], None], steps: tuple[str, ...]) -> int:
    """Do it, and be killed at the n-th line of these files; return how many lines there were."""
    passed = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal passed
        if not frame.f_code.co_filename.endswith(steps):
            return None
        if event == "line":
            passed += 1
            if passed == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    threading.settrace(trace)
    sys.settrace(trace)
    act()
    sys.settrace(None)
    return passed


def run_trials(redis_url: str, archive_url: str, number: int) -> int:
    """Kill so many times, archiving and bringing back in turn; return how many processes were killed."""
    trials = Trials(redis_url, archive_url)
    random = Random(number)
    trials.must(trials.store)
    steps = (trials.archive, trials.bring_back)
    lines = [trials.count_lines(step) for step in steps]
    killed = 0
    for trial in range(number):
        step, most = steps[trial % 2], lines[trial % 2]
        killed += trials.kill_at(random.randint(1, most), step) == signal.SIGKILL
        trials.must(trials.check)
        trials.must(step)
        trials.must(trials.check)
    trials.must(trials.archive)
    trials.must(trials.check_archived)
    return killed


if __name__ == "__main__":
    print(run_trials(sys.argv[1], sys.argv[2], int(sys.argv[3])))
