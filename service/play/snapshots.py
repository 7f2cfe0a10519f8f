"""Games as they stand: the newest state of those played lately, and the tail of the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from events.chain import GENESIS
from events.commit import Commit
from events.store import Store, Unavailable
from events.values import seat_of
from rules.evolve import fold
from rules.state import EMPTY, State
from service.play.recently_used import RecentlyUsed

MOST_GAMES = 1_000
# How often a command is decided again because others were faster.
MOST_TRIES = 16
# Commits behind the newest known: further back than this, two short readings cost less than one long.
FAR = 200


class UnknownGame(LookupError):
    """No game has this id."""


class UnknownVersion(LookupError):
    """The game has not come so far, or starts later."""


class Outdated(Exception):
    """The caller wanted to act on another version than the newest."""

    def __init__(self, wanted: int | None, version: int) -> None:
        super().__init__(f"the game is at version {version}, not {wanted}")
        self.wanted, self.version = wanted, version


class Snapshot(Struct, frozen=True):
    """A game at one version; the times are those of its first commit, its newest, its ask's,
    and of the last that a person made.
    """

    state: State
    version: int
    head: str
    created: str
    changed: str
    asked: str
    heard: str

    @property
    def created_at(self) -> datetime:
        return datetime.fromisoformat(self.created)

    @property
    def changed_at(self) -> datetime:
        return datetime.fromisoformat(self.changed)

    @property
    def asked_at(self) -> datetime:
        """Since when the seats that are asked have known it."""
        return datetime.fromisoformat(self.asked)

    @property
    def heard_at(self) -> datetime:
        """When a person did something last; creating the game counts."""
        return datetime.fromisoformat(self.heard)

    @property
    def deadline(self) -> datetime | None:
        """When the service answers for the people who are asked, if it ever does (W1)."""
        seconds = self.state.options.get("turn_seconds")
        if not (isinstance(seconds, int) and seconds and self.people_asked):
            return None
        return self.asked_at + timedelta(seconds=seconds)

    @property
    def people_asked(self) -> tuple[int, ...]:
        """The seats of people that owe an answer."""
        ask = self.state.ask
        awaited = ask.awaited if ask is not None and self.state.status == "playing" else ()
        return tuple(seat for seat in awaited if self.state.seats[seat].bot is None)


EMPTY_SNAPSHOT = Snapshot(EMPTY, 0, GENESIS, "", "", "", "")


def advance_snapshot(snapshot: Snapshot, commit: Commit, state: State) -> Snapshot:
    """The snapshot once the commit has led to the state."""
    asked = snapshot.asked if state.asked == snapshot.state.asked else commit.at
    heard = commit.at if _is_by_person(commit, state) else snapshot.heard
    created, at = snapshot.created or commit.at, commit.at
    return Snapshot(state, commit.version, commit.hash, created, at, asked or at, heard or at)


def _is_by_person(commit: Commit, state: State) -> bool:
    seat = seat_of(commit.by)
    return seat is not None and state.seats[seat].bot is None


def fold_commits(snapshot: Snapshot, commits: Iterable[Commit]) -> Snapshot:
    """The same as `after` for one commit and the next, with a single snapshot in the end."""
    state, created, asked, newest = snapshot.state, snapshot.created, snapshot.asked, None
    heard = snapshot.heard
    for newest in commits:
        known, state = state.asked, fold(state, newest.events)
        created = created or newest.at
        if state.asked != known or not asked:
            asked = newest.at
        if not heard or _is_by_person(newest, state):
            heard = newest.at
    if newest is None:
        return snapshot
    return Snapshot(state, newest.version, newest.hash, created, newest.at, asked, heard)


class Base(Struct, frozen=True):
    """What a command is decided on; where it is not fresh it is only remembered, and the append finds out."""

    snapshot: Snapshot
    is_fresh: bool


class Reading(Struct, frozen=True):
    """The newest snapshot, and commits that lead there or part of the way."""

    snapshot: Snapshot
    commits: Sequence[Commit]


class Snapshots:
    """The newest state of the games used lately. Whatever is read again is checked against its hash."""

    def __init__(self, store: Store, most: int = MOST_GAMES) -> None:
        self._store = store
        self._recent: RecentlyUsed[Snapshot] = RecentlyUsed(most)

    def find(self, game: str) -> Snapshot | None:
        """Without asking the store: others may have gone on since."""
        return self._recent.find(game)

    def keep(self, game: str, snapshot: Snapshot) -> None:
        self._recent.keep(game, snapshot)

    def bases(self, game: str) -> Iterator[Base]:
        """What to decide on, try after try: from memory first, then read. Raises UnknownGame."""
        known = self._recent.find(game)
        if known is not None:
            yield Base(known, is_fresh=False)
        for _ in range(MOST_TRIES):
            yield Base(self.load(game), is_fresh=True)
        raise Unavailable(f"{game} changes faster than it can be followed")

    def load(self, game: str) -> Snapshot:
        """What is known plus the tail of the log. Raises UnknownGame."""
        known = self._recent.find(game) or EMPTY_SNAPSHOT
        return self._fold(game, known, self._store.read(game, _start(known)))

    def load_with(self, game: str, after: int, limit: int) -> Reading:
        """Also the commits after a version: the log is read once where they lie near the end."""
        known = self._recent.find(game) or EMPTY_SNAPSHOT
        if _start(known) - after > FAR:
            return Reading(self.load(game), self._store.read(game, after, limit))
        first = min(after, _start(known))
        commits = self._store.read(game, first)
        snapshot = self._fold(game, known, commits[_start(known) - first :])
        return Reading(snapshot, commits[after - first : after - first + limit])

    def _fold(self, game: str, known: Snapshot, commits: Sequence[Commit]) -> Snapshot:
        """From what is known, whose own commit comes first. A log that went another way is read anew."""
        if known.version:
            if not commits or commits[0].hash != known.head:
                known, commits = EMPTY_SNAPSHOT, self._store.read(game)
            else:
                commits = commits[1:]
        if not commits and not known.version:
            raise UnknownGame(game)
        snapshot = fold_commits(known, commits)
        self._recent.keep(game, snapshot)
        return snapshot

    def load_version(self, game: str, version: int) -> Snapshot:
        """As it was. Raises UnknownGame and UnknownVersion."""
        newest = self.load(game)
        if version == newest.version:
            return newest
        if not 0 < version < newest.version:
            raise UnknownVersion(f"{game} has versions 1 to {newest.version}")
        return fold_commits(EMPTY_SNAPSHOT, self._store.read(game, 0, version))


def _start(known: Snapshot) -> int:
    """The version to read after, so that the commit of what is known comes along to be compared."""
    return max(0, known.version - 1)
