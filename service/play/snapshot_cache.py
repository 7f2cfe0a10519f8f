"""Games as they stand: the newest state of those played lately, and the tail of the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock

from msgspec import Struct

from events.chain import GENESIS
from events.commit import Commit
from events.store import Store, Unavailable
from service.play.branches import check_branch
from service.play.chain_guard import BrokenLog, ChainGuard
from service.play.histories import Histories
from service.play.pages import Page, before, cut_page
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import (
    EMPTY_SNAPSHOT,
    Snapshot,
    UnknownGame,
    UnknownVersion,
    begin_branch,
    fold_commits,
)

MOST_GAMES = 1_000
# How often a command is decided again because others were faster.
MOST_TRIES = 16
# Commits behind the newest known: further back than this, two short readings cost less than one long.
FAR = 200


class Base(Struct, frozen=True):
    """What a command is decided on; where it is not fresh it is only remembered, and the append finds out."""

    snapshot: Snapshot
    is_fresh: bool


class Reading(Struct, frozen=True):
    """The newest snapshot, and commits that lead there or part of the way."""

    snapshot: Snapshot
    page: Page


class Snapshots:
    """The newest state of the games used lately. Whatever is read again is checked against its hash."""

    def __init__(self, store: Store, most: int = MOST_GAMES) -> None:
        self._guard = ChainGuard(store)
        self._histories = Histories(self._guard)
        self._recent: RecentlyUsed[Snapshot] = RecentlyUsed(most)
        self._moved: RecentlyUsed[bool] = RecentlyUsed(most)
        self._keeping = Lock()

    def has_moved(self, game: str) -> bool:
        """Whether it was seen to go another way than it had gone before."""
        return self._moved.find(game) is not None

    def find(self, game: str) -> Snapshot | None:
        """Without asking the store: others may have gone on since."""
        return self._recent.find(game)

    def keep(self, game: str, snapshot: Snapshot) -> None:
        """Never goes back on a branch: what else is remembered of it may rest on the newer one."""
        with self._keeping:
            known = self._recent.find(game)
            if known is None or known.branch != snapshot.branch or known.version < snapshot.version:
                self._recent.keep(game, snapshot)

    def bases(self, game: str, branch: int | None = None) -> Iterator[Base]:
        """What to decide on, try after try: from memory first, then read. Raises UnknownGame, BranchLost."""
        known = self._recent.find(game)
        if known is not None:
            check_branch(known.branch, branch)
            yield Base(known, is_fresh=False)
        for _ in range(MOST_TRIES):
            yield Base(self.load(game, branch), is_fresh=True)
        newest = self.load(game, branch)
        self._guard.check_head(game, newest.version, newest.head)
        raise Unavailable(f"{game} changes faster than it can be followed")

    def load(self, game: str, branch: int | None = None) -> Snapshot:
        """What is known plus the tail of the log. Raises UnknownGame, BrokenLog, and BranchLost."""
        known = self._recent.find(game) or EMPTY_SNAPSHOT
        snapshot = self._fold(game, known, self._guard.read(game, before(known.version)))
        check_branch(snapshot.branch, branch)
        return snapshot

    def load_with(self, game: str, after: int, limit: int, branch: int | None = None) -> Reading:
        """Also the commits after a version: the log is read once where they lie near the end."""
        known = self._recent.find(game) or EMPTY_SNAPSHOT
        start = before(known.version)
        if start - after > FAR:
            # The page comes first: a branch that stands after it stood while it was read.
            page = cut_page(self._guard.read(game, before(after), limit + 1), after, limit)
            return Reading(self.load(game, known.branch if branch is None else branch), page)
        first = min(before(after), start)
        commits = self._guard.read(game, first)
        snapshot = self._fold(game, known, commits[start - first :])
        check_branch(snapshot.branch, branch)
        if known.version and snapshot.branch != known.branch:
            return self.load_with(game, after, limit, branch)
        return Reading(snapshot, cut_page(commits[before(after) - first :], after, limit))

    def _fold(self, game: str, known: Snapshot, commits: Sequence[Commit]) -> Snapshot:
        """From what is known, whose own commit comes first. A log that went another way is read anew."""
        if known.version and commits and commits[0].hash == known.head:
            self._guard.check(game, known.version - 1, commits[0].prev, commits)
            snapshot = fold_commits(known, commits[1:])
        elif known.version:
            self._moved.keep(game, True)
            snapshot = self._fold_all(game, self._guard.read(game))
        else:
            snapshot = self._fold_all(game, commits)
        if not snapshot.version:
            self._recent.drop(game)
            raise UnknownGame(game)
        self.keep(game, snapshot)
        return snapshot

    def _fold_all(self, game: str, commits: Sequence[Commit]) -> Snapshot:
        self._guard.check(game, 0, GENESIS, commits)
        return fold_commits(begin_branch(), commits)

    def check_whole(self, game: str) -> None:
        """Reads the log from its first commit. Raises BrokenLog, after which nothing is remembered."""
        try:
            self._guard.check(game, 0, GENESIS, self._guard.read(game))
        except BrokenLog:
            self._recent.drop(game)
            raise

    def load_version(self, game: str, version: int, branch: int | None = None) -> Snapshot:
        """As it was. Raises UnknownGame, UnknownVersion, and BranchLost for a wanted branch."""
        self._meet(game)
        newest = self.load(game, branch)
        if version == newest.version:
            return newest
        if not 0 < version < newest.version:
            raise UnknownVersion(newest.version)
        found = self._histories.find(game, version, newest)
        if found is not None:
            return found
        self._histories.read(game, newest)
        # What was read is of the branch only if that still stands.
        return self.load_version(game, version, self.load(game, newest.branch).branch)

    def _meet(self, game: str) -> None:
        """Of a game that nothing is known of, one reading is enough for all of its versions."""
        if self._recent.find(game) is None:
            commits = self._guard.read(game)
            self._guard.check(game, 0, GENESIS, commits)
            newest = self._histories.keep(game, begin_branch(), commits)
            if newest.version:
                self.keep(game, newest)

    def load_versions(self, game: str, first: int, last: int, branch: int | None = None) -> list[Snapshot]:
        """As it was, at one after the other. Raises as `load_version` does."""
        self._meet(game)
        newest = self.load(game, branch)
        if not 0 < first <= last <= newest.version:
            raise UnknownVersion(newest.version)
        if self._histories.find(game, last, newest) is None:
            self._histories.read(game, newest)
            self.load(game, newest.branch)
        found = (self._histories.find(game, version, newest) for version in range(first, last + 1))
        return [snapshot for snapshot in found if snapshot is not None]
