"""A snapshot of a game, and how commits lead from one to the next.

Each time a process reads a log from its first commit, it numbers that reading: the log epoch. A snapshot
keeps the epoch of the one before. What is cached beside the state, such as who holds which token, is valid
for one epoch, so that nothing of a replaced log (a restore, a failover) is served from memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from events.chain import GENESIS
from events.commit import Commit
from events.store import Unavailable
from events.values import seat_of
from rules import State
from rules.evolve import fold
from rules.state import EMPTY
from service.fairness.clocks import NO_LIMIT, Clocks, TimeLeft, earliest, find_deadline, spend_time

_numbers = count(1)


class LogReplaced(Unavailable):
    """The log is not the one that this was to rest on. Nothing was done: it can be asked again."""


class SeatIdentity(Struct, frozen=True):
    """The seat that a token belongs to, and the log epoch in which that was looked up.

    `player` and `credential`, the hash of the token, are those of a player; a seat's own token has none.
    """

    seat: int
    log_epoch: int
    player: str = ""
    credential: str = ""


def new_log_epoch() -> int:
    """Return a number that this process has not used for a log epoch before."""
    return next(_numbers)


def check_log_epoch(log_epoch: int, wanted: int | None) -> None:
    """Raise LogReplaced unless the epochs are the same, or none is wanted."""
    if wanted not in (None, log_epoch):
        raise LogReplaced("the log was replaced by another")


class UnknownGame(LookupError):
    """No game has this id."""


class UnknownVersion(LookupError):
    """The game has not come so far, or starts later; `newest` is how far it has, 0 where nobody looked."""

    def __init__(self, newest: int = 0) -> None:
        super().__init__(newest)
        self.newest = newest


class Outdated(Exception):
    """The caller wanted to act on another version than the newest."""

    def __init__(self, wanted: int | None, version: int) -> None:
        super().__init__(f"the game is at version {version}, not {wanted}")
        self.wanted, self.version = wanted, version


class Snapshot(Struct, frozen=True):
    """A game at one version; the times are those of its first commit, its newest, its ask's,
    and of the last that a person made. `left` is what everybody has of the time for the whole game;
    `ended` is empty until it is over, `imported` says since when a game from elsewhere is here.
    """

    state: State
    version: int
    head: str
    created: str
    changed: str
    asked: str
    heard: str
    log_epoch: int = 0
    clocks: Clocks = NO_LIMIT
    ended: str = ""
    imported: str = ""

    @property
    def left(self) -> TimeLeft:
        return self.clocks.left

    @property
    def created_at(self) -> datetime:
        return datetime.fromisoformat(self.created)

    @property
    def changed_at(self) -> datetime:
        return datetime.fromisoformat(self.changed)

    @property
    def listed(self) -> str:
        """When something was last new about it here."""
        return max(self.changed, self.imported)

    @property
    def ended_at(self) -> datetime:
        """Only of a game that is over."""
        return datetime.fromisoformat(self.ended)

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
        """When the service answers for the first of the people who are asked, if it ever does."""
        return earliest([self.deadline_of(seat) for seat in self.people_asked])

    def deadline_of(self, seat: int) -> datetime | None:
        """Of somebody who is asked (W1, W10)."""
        return find_deadline(self.state, self.asked, self.left, seat)

    @property
    def people_asked(self) -> tuple[int, ...]:
        """The seats of people that owe an answer."""
        return self.state.people_asked


EMPTY_SNAPSHOT = Snapshot(EMPTY, 0, GENESIS, "", "", "", "")


def begin_log() -> Snapshot:
    """Return the empty snapshot that a reading of a whole log begins with, in a new log epoch."""
    return replace(EMPTY_SNAPSHOT, log_epoch=new_log_epoch())


def advance_snapshot(snapshot: Snapshot, commit: Commit, state: State) -> Snapshot:
    """The snapshot once the commit has led to the state."""
    asked = snapshot.asked if _is_same_ask(snapshot.state, state) else commit.at
    heard = commit.at if _is_by_person(commit, state) else snapshot.heard
    created, at = snapshot.created or commit.at, commit.at
    asked, heard = asked or at, heard or at
    log_epoch = _epoch_after(snapshot, state)
    clocks = spend_time(snapshot.clocks, snapshot.asked, snapshot.state, commit, state)
    ended = snapshot.ended or (at if state.status == "over" else "")
    times = (created, at, asked, heard)
    return Snapshot(state, commit.version, commit.hash, *times, log_epoch, clocks, ended, snapshot.imported)


def _epoch_after(snapshot: Snapshot, state: State) -> int:
    """Return the log epoch after a commit: a new one when a seat was given up, for its tokens have ended."""
    return snapshot.log_epoch if state.departures == snapshot.state.departures else new_log_epoch()


def _is_same_ask(before: State, after: State) -> bool:
    """What a fork asks is asked anew (W12)."""
    return before.asked == after.asked and before.game == after.game


def _is_by_person(commit: Commit, state: State) -> bool:
    seat = seat_of(commit.by)
    return seat is not None and state.seats[seat].bot is None


def fold_commits(snapshot: Snapshot, commits: Iterable[Commit]) -> Snapshot:
    """The same as `after` for one commit and the next, with a single snapshot in the end."""
    state, created, asked, newest = snapshot.state, snapshot.created, snapshot.asked, None
    heard, clocks, ended, imported = snapshot.heard, snapshot.clocks, snapshot.ended, snapshot.imported
    for newest in commits:
        before, state = state, fold(state, newest.events)
        if state.game != before.game:
            created, heard = newest.at, ""
        imported = imported or newest.imported
        clocks = spend_time(clocks, asked, before, newest, state)
        if not _is_same_ask(before, state) or not asked:
            asked = newest.at
        if not heard or _is_by_person(newest, state):
            heard = newest.at
        if not ended and state.status == "over":
            ended = newest.at
    if newest is None:
        return snapshot
    log_epoch, times = _epoch_after(snapshot, state), (created, newest.at, asked, heard)
    return Snapshot(state, newest.version, newest.hash, *times, log_epoch, clocks, ended, imported)
