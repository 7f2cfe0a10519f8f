"""Kills `croupier restore` again and again, and looks at what is there; then repeats it.

`python -m tests.support.killed_restore REDIS_URL ARCHIVE_URL FOLDER TRIALS` exits with 0 if each game was
there whole or not at all after each kill, in Redis or in the archive, and everything after the repeat. Each
trial kills at another line of the program. The backup comes from database 1 of the server, and goes into
database 0.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from random import Random

from msgspec.structs import replace

from events.redis import connect
from service.container import open_backend
from service.fairness.export_file import write_file
from service.games.idempotency import identify_request
from service.lobby.rebuild import describe_game
from service.ops import backup, restore
from service.players.transfer import PlayerTransfer, StoredPlayer
from tests.support.finished_games import finished_log
from tests.support.killed_archiving import die_at, in_child

STEPS = (
    "events/archive.py",
    "events/objects.py",
    "events/redis_store.py",
    "service/history/archiving.py",
    "service/ops/restore.py",
    "service/players/transfer.py",
)
ARCHIVED = 3
LIVE = 3


def export_all(url: str) -> dict[str, tuple[bytes, bool]]:
    """Every game as it would be exported, and whether it is archived."""
    with open_backend(url) as backend:
        store = backend.store
        games = [*store.list_games(), *store.list_archived()]
        assert len(games) == len(set(games))
        return {game: (write_file(store.read(game)), store.is_archived(game)) for game in sorted(games)}


def read_players(url: str) -> list[StoredPlayer]:
    """All players; how long they are kept if they never play is another number each time."""
    with connect(url) as client:
        transfer = PlayerTransfer(client)
        found = [transfer.read_player(player) for player in sorted(transfer.list_players())]
    return [replace(player, milliseconds_left=0) for player in found if player]


class Trials:
    """Trials with one backup."""

    def __init__(self, redis_url: str, archive_url: str, folder: str) -> None:
        self._source = redis_url.replace("?db=0", "?db=1")
        self._target = redis_url
        self._archive = archive_url
        self._folder = folder
        self._trial = 0

    def use(self, name: str) -> None:
        """Each trial has an archive of its own."""
        os.environ["ARCHIVE_URL"] = f"{self._archive}/{name}"

    def fill(self) -> None:
        """Make a store with games in Redis and in the archive, and with players; and its backup."""
        self.use("source")
        with open_backend(self._source) as backend:
            for number in range(ARCHIVED + LIVE):
                game, commits, seed = finished_log(seed=number + 1)
                is_live = number >= ARCHIVED
                backend.store.create_with_history(game, commits[:20] if is_live else commits, {"seed": seed})
                describe_game(backend, game)
                if not is_live:
                    assert backend.archiver
                    assert backend.archiver.archive(game)
            for name in ("Anna", "Ben"):
                backend.players.create(name, identify_request("players", f"a key of {name}, long", name))
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            assert backup.main(self._source, self._folder, 1) == backup.DONE

    def restore(self) -> None:
        self.use(f"target-{self._trial}")
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            assert restore.main(self._target, self._folder, 1) == backup.DONE

    def begin(self, trial: int) -> None:
        """The target is empty, and so is its archive."""
        self._trial = trial
        with connect(self._target) as client:
            client.flushdb()

    def check(self, is_whole: bool) -> None:
        """Every game that is there is whole; in the end all of them are."""
        self.use("source")
        wanted = export_all(self._source)
        self.use(f"target-{self._trial}")
        found = export_all(self._target)
        assert found.items() <= wanted.items(), "half a game"
        players = read_players(self._target)
        assert all(player in read_players(self._source) for player in players)
        if is_whole:
            assert found == wanted
            assert players == read_players(self._source)

    def must(self, *acts: object) -> None:
        for act in acts:
            assert callable(act)
            assert in_child(act) == 0


def run_trials(arguments: Sequence[str], number: int) -> int:
    """Kill so many times; return how many processes were killed."""
    trials = Trials(*arguments)
    random = Random(number)
    trials.must(trials.fill)
    trials.begin(number)
    reading, writing = os.pipe()
    trials.must(lambda: os.write(writing, str(die_at(-1, trials.restore, STEPS)).encode()))
    lines = int(os.read(reading, 20))
    killed = 0
    for trial in range(number):
        trials.begin(trial)
        # Threads do not take the same number of lines each time.
        line = random.randint(1, lines * 9 // 10)
        killed += in_child(lambda line=line: die_at(line, trials.restore, STEPS)) == signal.SIGKILL  # type: ignore[misc]
        trials.must(lambda: trials.check(is_whole=False), trials.restore, lambda: trials.check(is_whole=True))
    return killed


if __name__ == "__main__":
    print(run_trials(sys.argv[1:4], int(sys.argv[4])))
