"""Describes the timeline of a game: what happened at which version, and what each commit changed.

`mark_commits` returns the timeline, `read_contexts` the commits with their facts, `find_changes` a diff.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct
from msgspec.structs import replace

from events.agenda import Ask
from events.chain import redact_commit
from events.commit import Commit
from events.types import (
    AgendaChanged,
    DiceRolled,
    Event,
    GameClosed,
    GameEnded,
    RoundEnded,
    RoundStarted,
    TurnStarted,
)
from events.values import Moment
from rules import State, view
from rules.explain.facts import find_facts
from rules.explain.scene import Fact
from rules.state import EMPTY, Seat
from service.games.games import Games
from service.games.heavy_work import CooperativeIterator
from service.games.snapshots import Snapshot
from service.games.table_view import TableShown
from service.languages.catalogue import ENGLISH, Language


class RoundMark(Struct, frozen=True):
    """`last` is the commit that paid it out; null while it goes on."""

    round: int
    starter: int
    first: int
    last: int | None = None


class TurnMark(Struct, frozen=True):
    """A turn begins with this version; no seat where all play at once."""

    version: int
    round: int
    seat: int | None


class AskMark(Struct, frozen=True):
    """The seats were asked with this version."""

    version: int
    ask: int
    prompt: str
    seats: tuple[int, ...]


class PayoutMark(Struct, frozen=True):
    version: int
    round: int


class CommitMark(Struct, frozen=True):
    version: int
    at: Moment
    by: str


class Timeline(Struct, frozen=True):
    rounds: tuple[RoundMark, ...]
    turns: tuple[TurnMark, ...]
    asks: tuple[AskMark, ...]
    payouts: tuple[PayoutMark, ...]
    commits: tuple[CommitMark, ...]
    ended: int | None


class _Marks:
    """Collects the marks of a timeline, event after event."""

    def __init__(self) -> None:
        """Begin without marks."""
        self.rounds: list[RoundMark] = []
        self.turns: list[TurnMark] = []
        self.asks: list[AskMark] = []
        self.payouts: list[PayoutMark] = []
        self.commits: list[CommitMark] = []
        self.ended: int | None = None

    def record(self, version: int, event: Event) -> None:
        """Add the marks that an event of this version makes."""
        match event:
            case RoundStarted(number, starter):
                self.rounds.append(RoundMark(number, starter, version))
            case RoundEnded(number):
                begun = self.rounds.pop()
                self.rounds.append(RoundMark(begun.round, begun.starter, begun.first, version))
                self.payouts.append(PayoutMark(version, number))
            case TurnStarted(seat):
                self._record_turn(version, seat)
            case DiceRolled(_, seat) if seat is not None and not event.black:
                self._record_turn(version, seat)
            case AgendaChanged(agenda):
                self._record_ask(version, agenda)
            case GameEnded() | GameClosed():
                self.ended = version
            case _:
                pass

    def _record_turn(self, version: int, seat: int | None) -> None:
        """Add the mark of a turn that begins."""
        self.turns.append(TurnMark(version, self.rounds[-1].round, seat))

    def _record_ask(self, version: int, agenda: Iterable[object]) -> None:
        """Add the mark of the ask on top of the agenda, unless it is there already."""
        top = [*agenda][-1:]
        for item in top:
            if isinstance(item, Ask) and (not self.asks or self.asks[-1].ask != item.id):
                self.asks.append(AskMark(version, item.id, item.prompt, item.seats))


def mark_commits(commits: Iterable[Commit]) -> Timeline:
    """Return the timeline of a game. It contains no secrets."""
    marks = _Marks()
    for commit in commits:
        marks.commits.append(CommitMark(commit.version, commit.at, commit.by))
        for event in commit.events:
            marks.record(commit.version, event)
    return Timeline(
        rounds=tuple(marks.rounds),
        turns=tuple(marks.turns),
        asks=tuple(marks.asks),
        payouts=tuple(marks.payouts),
        commits=tuple(marks.commits),
        ended=marks.ended,
    )


# Puts names into a table.
Naming = Callable[[Snapshot], Snapshot]
EMPTY_SEAT = Seat(None)


class ViewerScope(Struct, frozen=True):
    """Says who looks at a game, in which log epoch, and whether it is over and nothing secret (S1)."""

    viewer: int | None
    log_epoch: int
    opened: bool


class CommitContext(Struct, frozen=True):
    """Holds a commit with its facts, the state before it and the snapshot after it."""

    commit: Commit
    facts: tuple[Fact, ...]
    before: State
    after: Snapshot

    @property
    def told_of(self) -> State:
        """Return the state after the commit, with the names of those who left by it as well."""
        met = self.before.seats
        left = self.after.state.seats
        seats = tuple(
            one if one.name else other for one, other in zip_longest(met, left, fillvalue=EMPTY_SEAT)
        )
        return replace(self.after.state, seats=seats)


def look_at(
    games: Games, game: str, viewer: int | None, log_epoch: int | None
) -> tuple[Snapshot, ViewerScope]:
    """Return the newest snapshot, and the scope in which this viewer sees the game.

    Raises UnknownGame and LogReplaced.
    """
    newest = games.snapshot(game, log_epoch=log_epoch)
    return newest, ViewerScope(viewer, newest.log_epoch, newest.state.status == "over")


def read_contexts(
    games: Games, game: str, first: int, last: int, seen: ViewerScope, naming: Naming
) -> Iterator[CommitContext]:
    """Yield the commits from version `first` to `last` as the viewer may see them, with their facts.

    Raises UnknownVersion, UnknownRules and LogReplaced.
    """
    start = max(1, first - 1)
    tables = [naming(table) for table in games.read_versions(game, start, last, seen.log_epoch)]
    before = EMPTY if first == 1 else tables.pop(0).state
    commits = CooperativeIterator(games.commits(game, first - 1, last - first + 1))
    for commit, after in zip(commits, tables, strict=True):
        shown = redact_commit(commit, seen.viewer, seen.opened)
        facts = find_facts(_show(before, seen), shown.command, shown.events)
        yield CommitContext(shown, facts, before, after)
        before = after.state


def _show(state: State, seen: ViewerScope) -> State:
    """Return a state as the viewer may see it."""
    return state if seen.opened else view(state, seen.viewer)


class Change(Struct, frozen=True):
    """What stood there before and what stands there after; left out where there was or is no such member."""

    path: Annotated[str, Meta(description="A JSON pointer into the table.")]
    before: Any = UNSET
    after: Any = UNSET


def find_changes(first: TableShown, last: TableShown, language: Language = ENGLISH) -> tuple[Change, ...]:
    """Return what differs between two tables, in this language."""
    before, after = (language.to_builtins(table) for table in (first, last))
    return tuple(_compare("", before, after))


def _compare(path: str, before: Any, after: Any) -> Iterator[Change]:
    """Yield the differences between two values, as deep as both have the same kind of members.

    Lists of different lengths differ as a whole.
    """
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            yield from _compare(f"{path}/{name}", before.get(name, UNSET), after.get(name, UNSET))
    elif _are_rows(before) and _are_rows(after) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from _compare(f"{path}/{number}", *pair)
    else:
        yield Change(path, before, after)


def _are_rows(value: Any) -> bool:
    """Return whether a value is a list of seats or casinos, which keep their places.

    Notes and dice do not, and are compared as a whole.
    """
    return isinstance(value, (list, tuple)) and all(isinstance(row, dict) and "name" in row for row in value)
