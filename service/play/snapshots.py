"""Games as they stand: the newest state of those played lately, and the tail of the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from events.chain import GENESIS
from events.commit import Commit
from events.store import Store
from rules.evolve import fold
from rules.state import EMPTY, State
from service.play.recently_used import RecentlyUsed

MOST_GAMES = 1_000


class UnknownGame(LookupError):
    """No game has this id."""


class UnknownVersion(LookupError):
    """The game has not come so far, or starts later."""


class Snapshot(Struct, frozen=True):
    """A game at one version; the times are those of its first commit, its newest and its ask's."""

    state: State
    version: int
    head: str
    created: str
    changed: str
    asked: str

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


EMPTY_SNAPSHOT = Snapshot(EMPTY, 0, GENESIS, "", "", "")


def advance_snapshot(snapshot: Snapshot, commit: Commit, state: State) -> Snapshot:
    """The snapshot once the commit has led to the state."""
    asked = snapshot.asked if state.asked == snapshot.state.asked else commit.at
    return Snapshot(
        state, commit.version, commit.hash, snapshot.created or commit.at, commit.at, asked or commit.at
    )


def fold_commits(snapshot: Snapshot, commits: Iterable[Commit]) -> Snapshot:
    """The same as `after` for one commit and the next, with a single snapshot in the end."""
    state, created, asked, newest = snapshot.state, snapshot.created, snapshot.asked, None
    for newest in commits:
        known, state = state.asked, fold(state, newest.events)
        created = created or newest.at
        if state.asked != known or not asked:
            asked = newest.at
    if newest is None:
        return snapshot
    return Snapshot(state, newest.version, newest.hash, created, newest.at, asked)


class Snapshots:
    def __init__(self, store: Store, most: int = MOST_GAMES) -> None:
        self._store = store
        self._recent: RecentlyUsed[Snapshot] = RecentlyUsed(most)

    def find(self, game: str) -> Snapshot | None:
        """Without asking the store: others may have gone on since."""
        return self._recent.find(game)

    def keep(self, game: str, snapshot: Snapshot) -> None:
        self._recent.keep(game, snapshot)

    def load(self, game: str) -> Snapshot:
        """What is known plus the tail of the log. Raises UnknownGame."""
        known = self._recent.find(game)
        tail = self._tail(game, known) if known else None
        if known is None or tail is None:
            known, tail = EMPTY_SNAPSHOT, self._store.read(game)
        if not tail and not known.version:
            raise UnknownGame(game)
        snapshot = fold_commits(known, tail)
        self._recent.keep(game, snapshot)
        return snapshot

    def _tail(self, game: str, known: Snapshot) -> Sequence[Commit] | None:
        """What came after; None where the log went another way than we remember, as after a lost master."""
        newest_known, *tail = self._store.read(game, known.version - 1) or (None,)
        return tail if newest_known and newest_known.hash == known.head else None

    def load_version(self, game: str, version: int) -> Snapshot:
        """As it was. Raises UnknownGame and UnknownVersion."""
        newest = self.load(game)
        if version == newest.version:
            return newest
        if not 0 < version < newest.version:
            raise UnknownVersion(f"{game} has versions 1 to {newest.version}")
        return fold_commits(EMPTY_SNAPSHOT, self._store.read(game, 0, version))
