"""Defines the snapshot of a game, and how commits lead from one to the next: `fold_commits`.

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
from events.text import Text
from events.values import seat_of
from rules import State
from rules.evolve import fold
from rules.state import EMPTY
from service.fairness.clocks import NO_LIMIT, Clocks, TimeLeft, earliest, find_deadline, spend_time

_numbers = count(1)


class LogReplaced(Unavailable):
    """Says that the log was replaced since the caller was identified. Nothing was done: a retry is safe."""


class SeatIdentity(Struct, frozen=True):
    """Holds the seat that a token belongs to, and the log epoch in which that was looked up.

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
    """Says that no game has this id."""


class UnknownCode(UnknownGame):
    """Says that no private game has this code."""


class UnknownVersion(LookupError):
    """Says that a game has no such version; `newest` is its newest one, 0 if that is not known."""

    def __init__(self, newest: int = 0) -> None:
        """Name the newest version."""
        super().__init__(newest)
        self.newest = newest


class Outdated(Exception):
    """Says that the caller wanted to act on another version than the newest."""

    def __init__(self, wanted: int | None, version: int) -> None:
        """Name the wanted version and the newest one."""
        detail = Text("the game is at version {version}, not {wanted}", version=version, wanted=str(wanted))
        super().__init__(detail)
        self.detail = detail
        self.wanted = wanted
        self.version = version


class Snapshot(Struct, frozen=True):
    """Holds a game at one version.

    All times are text, as the log has them: when the game was created and last changed, when the current ask
    was put, when a person last did something (creating the game counts), and when it ended, empty until then.
    `imported_at` says when a game that was played elsewhere came here. `game` is the id under which the log
    is stored, which the log of an import need not name; empty where commits were folded without a store.
    """

    state: State
    version: int
    head: str
    created_at: str
    changed_at: str
    ask_opened_at: str
    last_human_at: str
    log_epoch: int = 0
    clocks: Clocks = NO_LIMIT
    ended_at: str = ""
    imported_at: str = ""
    game: str = ""

    @property
    def left(self) -> TimeLeft:
        """Return what each seat has left of the time for the whole game, in milliseconds."""
        return self.clocks.left

    @property
    def listed_at(self) -> str:
        """Return when something last changed that the list of games shows."""
        return max(self.changed_at, self.imported_at)

    @property
    def deadline(self) -> datetime | None:
        """Return when the service answers for the first of the people who are asked; None if never."""
        return earliest([self.deadline_of(seat) for seat in self.people_asked])

    def deadline_of(self, seat: int) -> datetime | None:
        """Return when the service answers for a seat that is asked; None if never (W1, W10)."""
        return find_deadline(self.state, self.ask_opened_at, self.left, seat)

    @property
    def people_asked(self) -> tuple[int, ...]:
        """Return the seats of people that owe an answer."""
        return self.state.people_asked


EMPTY_SNAPSHOT = Snapshot(
    state=EMPTY,
    version=0,
    head=GENESIS,
    created_at="",
    changed_at="",
    ask_opened_at="",
    last_human_at="",
)


def begin_log(game: str) -> Snapshot:
    """Return the empty snapshot that a reading of the whole log of a game begins with, in a new log epoch."""
    return replace(EMPTY_SNAPSHOT, log_epoch=new_log_epoch(), game=game)


def apply_commit(snapshot: Snapshot, commit: Commit, state: State) -> Snapshot:
    """Return the snapshot after `commit`, whose events led to `state`."""
    before = snapshot.state
    at = commit.at
    # The first commit of a log, or the fork that makes another game of it (W12).
    is_new_game = state.game != before.game
    opens_ask = is_new_game or state.asked != before.asked
    is_over = state.status == "over"
    return Snapshot(
        state=state,
        version=commit.version,
        head=commit.hash,
        created_at=at if is_new_game else snapshot.created_at,
        changed_at=at,
        ask_opened_at=at if opens_ask else snapshot.ask_opened_at,
        last_human_at=at if is_new_game or _is_by_human(commit, state) else snapshot.last_human_at,
        # Tokens end when a seat is given up, and with them what is cached of them.
        log_epoch=snapshot.log_epoch if state.departures == before.departures else new_log_epoch(),
        clocks=spend_time(snapshot.clocks, snapshot.ask_opened_at, before, commit, state),
        ended_at=at if is_over and not snapshot.ended_at else snapshot.ended_at,
        imported_at=snapshot.imported_at or commit.imported,
        game=snapshot.game,
    )


def _is_by_human(commit: Commit, state: State) -> bool:
    """Return whether a person made the commit."""
    seat = seat_of(commit.by)
    return seat is not None and state.seats[seat].bot is None


def fold_commits(snapshot: Snapshot, commits: Iterable[Commit]) -> Snapshot:
    """Return the snapshot after all of the commits."""
    for commit in commits:
        snapshot = apply_commit(snapshot, commit, fold(snapshot.state, commit.events))
    return snapshot
