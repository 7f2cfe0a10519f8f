"""Caches the newest snapshot of recently used games and checks the hash chain as it reads on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from events.chain import GENESIS, Broken, check_chain, fits
from events.commit import Commit, Unreadable, decode, decode_raw
from events.recently_used import RecentlyUsed
from events.store import Store, Unavailable
from events.text import Text, as_text
from service import metrics
from service.games.heavy_work import HEAVY_WORK_LOCK, CooperativeIterator
from service.games.snapshots import (
    EMPTY_SNAPSHOT,
    Snapshot,
    UnknownGame,
    UnknownVersion,
    begin_log,
    check_log_epoch,
    fold_commits,
)
from service.logs import logger

MOST_REPORTED = 1_000

log = logger()


class BrokenLog(Exception):
    """Says that the stored log is not what was written, so that the game cannot continue."""

    def __init__(self, version: int, why: str) -> None:
        """Name the first commit that is wrong, and why."""
        super().__init__(f"version {version}: {why}")
        self.version = version
        self.why = as_text(why)


class ChainGuard:
    """Reads logs and checks their hash chain. Each fault is logged and counted once."""

    def __init__(self, store: Store) -> None:
        """Read from this store."""
        self._store = store
        self._told: RecentlyUsed[str] = RecentlyUsed(MOST_REPORTED)

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        """Read commits without checking them. Raises BrokenLog if one of them cannot be decoded."""
        try:
            return self._store.read(game, after, limit)
        except Unreadable as fault:
            version = after + len(read_readable(self._store, game, after, limit)) + 1
            raise self._report_once(
                game, BrokenLog(version, Text("it cannot be read: {fault}", fault=str(fault)))
            ) from fault

    def check(self, game: str, version: int, head: str, commits: Sequence[Commit]) -> None:
        """Check that the commits follow that version and hash, one after the other. Raises BrokenLog."""
        for number, commit in enumerate(CooperativeIterator(commits), start=version + 1):
            if not fits(commit, number, head):
                self._check_stored(game, number, head, len(commits) + version + 1 - number)
                return
            head = commit.hash

    def check_head(self, game: str, version: int, head: str) -> None:
        """Check that the store names the hash of its newest commit as head. Raises BrokenLog."""
        newest, kept = self._store.head(game)
        if newest == version and kept != head:
            raise self._report_once(game, BrokenLog(version, "it is kept under a hash that is not its own"))

    def _check_stored(self, game: str, first: int, head: str, number: int) -> None:
        """Check the hash chain on the bytes as stored, for commits of an older format. Raises BrokenLog."""
        stored = self._store.read_stored(game, first - 1, number)
        try:
            check_chain(map(decode_raw, stored), first, head)
        except Broken as broken:
            raise self._report_once(game, BrokenLog(broken.version, broken.why)) from None

    def _report_once(self, game: str, fault: BrokenLog) -> BrokenLog:
        """Log and count a fault once, and return it to be raised."""
        if self._told.find(game) != str(fault):
            self._told.keep(game, str(fault))
            metrics.count_chain_failure()
            log.error("log_broken", game=game, version=fault.version, why=fault.why)
        return fault


def read_readable(store: Store, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
    """Read commits up to the first that cannot be decoded."""
    try:
        return store.read(game, after, limit)
    except Unreadable:
        return list(_decode_readable(store.read_stored(game, after, limit)))


def _decode_readable(stored: Sequence[bytes]) -> Iterator[Commit]:
    """Yield commits up to the first that cannot be decoded."""
    with suppress(Unreadable):
        for entry in stored:
            yield decode(entry)


# Versions share most of what they hold, so that a long game takes a megabyte or two.
MOST_HISTORIES = 16

History = tuple[Snapshot, ...]


class Histories:
    """Caches all snapshots of a few games. Each history belongs to one log epoch, and grows with its log."""

    def __init__(self, guard: ChainGuard) -> None:
        """Begin with no game."""
        self._guard = guard
        self._recent: RecentlyUsed[tuple[int, History]] = RecentlyUsed(MOST_HISTORIES)

    def find(self, game: str, version: int, newest: Snapshot) -> Snapshot | None:
        """Return an earlier snapshot of the same log as `newest`; None if it is not cached."""
        history = self._known(game, newest)
        if version > len(history):
            return None
        found = history[version - 1]
        return found if found.log_epoch == newest.log_epoch else replace(found, log_epoch=newest.log_epoch)

    def read(self, game: str, newest: Snapshot) -> None:
        """Cache all snapshots up to the newest one, reading what is not cached. Raises BrokenLog."""
        known = self._known(game, newest)
        last = known[-1] if known else replace(EMPTY_SNAPSHOT, game=game)
        commits = self._guard.read(game, last.version, newest.version - last.version)
        self._guard.check(game, last.version, last.head, commits)
        with HEAVY_WORK_LOCK:
            history = (*known, *_fold_each(last, CooperativeIterator(commits)))
        self._recent.keep(game, (newest.log_epoch, history))

    def keep(self, game: str, first: Snapshot, commits: Sequence[Commit]) -> Snapshot:
        """Cache all snapshots that the checked commits of a whole log lead to, and return the last."""
        history = tuple(_fold_each(first, CooperativeIterator(commits)))
        newest = history[-1] if history else first
        self._recent.keep(game, (newest.log_epoch, history))
        return newest

    def _known(self, game: str, newest: Snapshot) -> History:
        """Return the cached snapshots of this log epoch."""
        log_epoch, history = self._recent.find(game) or (newest.log_epoch, ())
        return history if log_epoch == newest.log_epoch else ()


def _fold_each(snapshot: Snapshot, commits: Sequence[Commit]) -> list[Snapshot]:
    """Yield the snapshot after each commit."""
    snapshots = []
    for commit in commits:
        snapshot = fold_commits(snapshot, (commit,))
        snapshots.append(snapshot)
    return snapshots


class LogPage(Struct, frozen=True):
    """Holds commits after a version. `place` is the hash of that version, empty if the log is shorter."""

    place: str
    commits: Sequence[Commit]


def before(version: int) -> int:
    """Return the version to read after, so that the commit of this version is read, too, and compared."""
    return max(0, version - 1)


def cut_page(commits: Sequence[Commit], after: int, limit: int) -> LogPage:
    """Return the page after a version, from commits that begin with the one of the version itself."""
    if not after:
        return LogPage(GENESIS, commits[:limit])
    return LogPage(commits[0].hash if commits else "", commits[1 : limit + 1])


# A game takes 4 to 8 KB of a process. A server with an API key may well play thousands at a time.
MOST_GAMES = 5_000
# How often a command is decided again because others were faster.
MOST_TRIES = 16
# When a page begins further back than this many commits, two short readings cost less than a long one.
FAR = 200
# Of so many commits a log is read by one request at a time.
LONG_LOG = 500


class Base(Struct, frozen=True):
    """Holds the snapshot that a command is decided on; it may be old unless it is fresh."""

    snapshot: Snapshot
    is_fresh: bool


class Reading(Struct, frozen=True):
    """Holds the newest snapshot, and commits that lead there or part of the way."""

    snapshot: Snapshot
    page: LogPage


class Snapshots:
    """Caches the newest snapshot of the games used lately. What is read is checked against its hash."""

    def __init__(self, store: Store, most: int = MOST_GAMES) -> None:
        """Read from this store."""
        self._guard = ChainGuard(store)
        self._histories = Histories(self._guard)
        self._recent: RecentlyUsed[Snapshot] = RecentlyUsed(most)
        self._moved: RecentlyUsed[bool] = RecentlyUsed(most)
        self._keeping = Lock()

    def has_moved(self, game: str) -> bool:
        """Say whether this process has seen the log replaced."""
        return self._moved.find(game) is not None

    def find(self, game: str) -> Snapshot | None:
        """Return the cached snapshot, which may be old, without asking the store."""
        return self._recent.find(game)

    def keep(self, game: str, snapshot: Snapshot) -> None:
        """Store the snapshot, unless a newer one of the same log epoch is stored already."""
        with self._keeping:
            known = self._recent.find(game)
            if known is None or known.log_epoch != snapshot.log_epoch or known.version < snapshot.version:
                self._recent.keep(game, snapshot)

    def bases(self, game: str, log_epoch: int | None = None) -> Iterator[Base]:
        """Yield what to decide on, try after try: the cached snapshot, then newly read ones.

        Raises UnknownGame, LogReplaced, and Unavailable after too many tries.
        """
        known = self._recent.find(game)
        if known is not None:
            check_log_epoch(known.log_epoch, log_epoch)
            yield Base(known, is_fresh=False)
        for _ in range(MOST_TRIES):
            yield Base(self.load(game, log_epoch), is_fresh=True)
        newest = self.load(game, log_epoch)
        self._guard.check_head(game, newest.version, newest.head)
        raise Unavailable(f"{game} changes faster than it can be followed")

    def load(self, game: str, log_epoch: int | None = None) -> Snapshot:
        """Return the newest snapshot: the cached one plus the tail of the log.

        Raises UnknownGame, BrokenLog, and LogReplaced in another epoch.
        """
        known = self._recent.find(game) or EMPTY_SNAPSHOT
        snapshot = self._fold(game, known, self._guard.read(game, before(known.version)))
        check_log_epoch(snapshot.log_epoch, log_epoch)
        return snapshot

    def follow(self, game: str, commits: Sequence[Commit]) -> Snapshot:
        """Return the snapshot after commits that were just read, or a newer one.

        Where they follow the cached one, the log is not read again. Raises as `load` does.
        """
        known = self._recent.find(game)
        if known is None or known.head != commits[0].prev:
            return self.load(game)
        self._guard.check(game, known.version, known.head, commits)
        snapshot = fold_commits(known, CooperativeIterator(commits))
        self.keep(game, snapshot)
        return snapshot

    def load_with(self, game: str, after: int, limit: int, log_epoch: int | None = None) -> Reading:
        """Return the newest snapshot and the commits after a version, if possible from one reading."""
        known = self._recent.find(game) or EMPTY_SNAPSHOT
        start = before(known.version)
        if start - after > FAR:
            # The page is read first: if the epoch is the same after that, it was the same during the reading.
            page = cut_page(self._guard.read(game, before(after), limit + 1), after, limit)
            return Reading(self.load(game, known.log_epoch if log_epoch is None else log_epoch), page)
        first = min(before(after), start)
        commits = self._guard.read(game, first)
        snapshot = self._fold(game, known, commits[start - first :])
        check_log_epoch(snapshot.log_epoch, log_epoch)
        if known.version and snapshot.log_epoch != known.log_epoch:
            return self.load_with(game, after, limit, log_epoch)
        return Reading(snapshot, cut_page(commits[before(after) - first :], after, limit))

    def _fold(self, game: str, known: Snapshot, commits: Sequence[Commit]) -> Snapshot:
        """Fold commits that begin with that of the known snapshot. A replaced log is read from its start."""
        if known.version and commits and commits[0].hash == known.head:
            self._guard.check(game, known.version - 1, commits[0].prev, commits)
            snapshot = fold_commits(known, CooperativeIterator(commits[1:]))
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
        """Check a whole log and return its newest snapshot, in a new log epoch.

        Of several requests for a long log that is not cached, one folds it and the others wait.
        """
        if len(commits) < LONG_LOG:
            return self._fold_checked(game, commits)
        with HEAVY_WORK_LOCK:
            known = self._recent.find(game)
            if known is not None and known.head == commits[-1].hash:
                return known
            return self._fold_checked(game, commits)

    def _fold_checked(self, game: str, commits: Sequence[Commit]) -> Snapshot:
        """Check a whole log and return its newest snapshot, in a new log epoch. Raises BrokenLog."""
        self._guard.check(game, 0, GENESIS, commits)
        return fold_commits(begin_log(game), CooperativeIterator(commits))

    def check_whole(self, game: str) -> None:
        """Check the log from its first commit. Raises BrokenLog, and drops the cached snapshot then."""
        try:
            self._guard.check(game, 0, GENESIS, self._guard.read(game))
        except BrokenLog:
            self._recent.drop(game)
            raise

    def load_version(self, game: str, version: int, log_epoch: int | None = None) -> Snapshot:
        """Return an earlier snapshot. Raises UnknownGame, UnknownVersion; LogReplaced in another epoch."""
        self._meet(game)
        newest = self.load(game, log_epoch)
        if version == newest.version:
            return newest
        if not 0 < version < newest.version:
            raise UnknownVersion(newest.version)
        found = self._histories.find(game, version, newest)
        if found is not None:
            return found
        self._histories.read(game, newest)
        # What was read belongs to the epoch only if the log is still the same.
        return self.load_version(game, version, self.load(game, newest.log_epoch).log_epoch)

    def _meet(self, game: str) -> None:
        """Read a game that is not cached once for all of its versions."""
        if self._recent.find(game) is None:
            commits = self._guard.read(game)
            self._guard.check(game, 0, GENESIS, commits)
            newest = self._histories.keep(game, begin_log(game), commits)
            if newest.version:
                self.keep(game, newest)

    def load_versions(self, game: str, first: int, last: int, log_epoch: int | None = None) -> list[Snapshot]:
        """Return the snapshots of these versions. Raises as `load_version` does."""
        self._meet(game)
        newest = self.load(game, log_epoch)
        if not 0 < first <= last <= newest.version:
            raise UnknownVersion(newest.version)
        if self._histories.find(game, last, newest) is None:
            self._histories.read(game, newest)
            self.load(game, newest.log_epoch)
        found = (self._histories.find(game, version, newest) for version in range(first, last + 1))
        return [snapshot for snapshot in found if snapshot is not None]
