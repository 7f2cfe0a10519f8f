"""The chain of a live game, checked as it is read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from events.chain import Broken, check_chain, fits
from events.codec import Unreadable, decode, decode_raw
from events.commit import Commit
from events.store import Store
from service import metrics
from service.logs import logger
from service.play.recently_used import RecentlyUsed

MOST_GAMES = 1_000

log = logger()


class BrokenLog(Exception):
    """What the store has of a game is not what was written: nobody goes on from there."""

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"version {version}: {why}")
        self.version, self.why = version, why


class ChainGuard:
    """Each fault is told to the log and counted once, however often it is met."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: RecentlyUsed[str] = RecentlyUsed(MOST_GAMES)

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        """Not checked yet. Raises BrokenLog where one of them is no commit."""
        try:
            return self._store.read(game, after, limit)
        except Unreadable as fault:
            version = after + len(read_readable(self._store, game, after, limit)) + 1
            raise self._tell(game, BrokenLog(version, f"it cannot be read: {fault}")) from fault

    def check(self, game: str, version: int, head: str, commits: Sequence[Commit]) -> None:
        """Whether they follow that version with that hash, one after the other. Raises BrokenLog."""
        for number, commit in enumerate(commits, start=version + 1):
            if not fits(commit, number, head):
                self._check_stored(game, number, head, len(commits) + version + 1 - number)
                return
            head = commit.hash

    def check_head(self, game: str, version: int, head: str) -> None:
        """Whether the store goes by the hash that its newest commit has. Raises BrokenLog."""
        newest, kept = self._store.head(game)
        if newest == version and kept != head:
            raise self._tell(game, BrokenLog(version, "it is kept under a hash that is not its own"))

    def _check_stored(self, game: str, first: int, head: str, number: int) -> None:
        stored = self._store.read_stored(game, first - 1, number)
        try:
            check_chain(map(decode_raw, stored), first, head)
        except Broken as broken:
            raise self._tell(game, BrokenLog(broken.version, broken.why)) from None

    def _tell(self, game: str, fault: BrokenLog) -> BrokenLog:
        if self._told.find(game) != str(fault):
            self._told.keep(game, str(fault))
            metrics.count_chain_failure()
            log.error("log_broken", game=game, version=fault.version, why=fault.why)
        return fault


def read_readable(store: Store, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
    """Commits up to the first that is none."""
    try:
        return store.read(game, after, limit)
    except Unreadable:
        return list(_decode_readable(store.read_stored(game, after, limit)))


def _decode_readable(stored: Sequence[bytes]) -> Iterator[Commit]:
    with suppress(Unreadable):
        for entry in stored:
            yield decode(entry)
