"""Games as they were: every version of those that somebody looks back at, from one reading of their log."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from events.commit import Commit
from service.play.chain_guard import ChainGuard
from service.play.long_work import ONE_AT_A_TIME, Unhurried
from service.play.recently_used import RecentlyUsed
from service.play.snapshots import EMPTY_SNAPSHOT, Snapshot, fold_commits

# Versions share most of what they hold, so that a long game takes a megabyte or two.
MOST_GAMES = 16

History = tuple[Snapshot, ...]


class Histories:
    """Derived and disposable: each belongs to one branch, and grows with its log."""

    def __init__(self, guard: ChainGuard) -> None:
        self._guard = guard
        self._recent: RecentlyUsed[tuple[int, History]] = RecentlyUsed(MOST_GAMES)

    def find(self, game: str, version: int, newest: Snapshot) -> Snapshot | None:
        """As it was on the way to the newest; None where that has not been read."""
        history = self._known(game, newest)
        if version > len(history):
            return None
        found = history[version - 1]
        return found if found.branch == newest.branch else replace(found, branch=newest.branch)

    def read(self, game: str, newest: Snapshot) -> None:
        """All that led there and is not known yet. Raises BrokenLog."""
        known = self._known(game, newest)
        last = known[-1] if known else EMPTY_SNAPSHOT
        commits = self._guard.read(game, last.version, newest.version - last.version)
        self._guard.check(game, last.version, last.head, commits)
        with ONE_AT_A_TIME:
            history = (*known, *_fold_each(last, Unhurried(commits)))
        self._recent.keep(game, (newest.branch, history))

    def keep(self, game: str, first: Snapshot, commits: Sequence[Commit]) -> Snapshot:
        """All that the commits of a whole log lead to, and the last of it; they have been checked."""
        history = tuple(_fold_each(first, commits))
        newest = history[-1] if history else first
        self._recent.keep(game, (newest.branch, history))
        return newest

    def _known(self, game: str, newest: Snapshot) -> History:
        branch, history = self._recent.find(game) or (newest.branch, ())
        return history if branch == newest.branch else ()


def _fold_each(snapshot: Snapshot, commits: Sequence[Commit]) -> list[Snapshot]:
    snapshots = []
    for commit in commits:
        snapshot = fold_commits(snapshot, (commit,))
        snapshots.append(snapshot)
    return snapshots
