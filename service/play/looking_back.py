"""What a commit did to the table that it met, as somebody may see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from events.chain import redact_commit
from events.commit import Commit
from rules.explaining.facts import Fact
from rules.explaining.find_facts import find_facts
from rules.state import EMPTY, Seat, State
from rules.view import view
from service.play.games import Games
from service.play.long_work import Unhurried
from service.play.snapshots import Snapshot

# Puts names into a table.
Naming = Callable[[Snapshot], Snapshot]
NOBODY = Seat(None)


class Seen(Struct, frozen=True):
    """Who looks, on which branch, and whether the game is over by now, so that nothing is secret (S1)."""

    viewer: int | None
    branch: int
    opened: bool


class Passage(Struct, frozen=True):
    """One commit with the facts in it, the table that it met, and the one that it led to."""

    commit: Commit
    facts: tuple[Fact, ...]
    before: State
    after: Snapshot

    @property
    def told_of(self) -> State:
        """With everybody who sat there before or after it: whoever leaves is still called by their name."""
        met, left = self.before.seats, self.after.state.seats
        seats = tuple(one if one.name else other for one, other in zip_longest(met, left, fillvalue=NOBODY))
        return replace(self.after.state, seats=seats)


def look_at(games: Games, game: str, viewer: int | None, branch: int | None) -> tuple[Snapshot, Seen]:
    """The newest snapshot, and how this viewer sees what led there. Raises UnknownGame, BranchLost."""
    newest = games.snapshot(game, branch=branch)
    return newest, Seen(viewer, newest.branch, newest.state.status == "over")


def read_passages(
    games: Games, game: str, first: int, last: int, seen: Seen, naming: Naming
) -> Iterator[Passage]:
    """Of the versions from the first to the last. Raises UnknownVersion, UnknownRules, BranchLost."""
    start = max(1, first - 1)
    tables = [naming(table) for table in games.archive.read_versions(game, start, last, seen.branch)]
    before = EMPTY if first == 1 else tables.pop(0).state
    commits = Unhurried(games.commits(game, first - 1, last - first + 1))
    for commit, after in zip(commits, tables, strict=True):
        shown = redact_commit(commit, seen.viewer, seen.opened)
        facts = find_facts(_show(before, seen), shown.command, shown.events)
        yield Passage(shown, facts, before, after)
        before = after.state


def _show(state: State, seen: Seen) -> State:
    return state if seen.opened else view(state, seen.viewer)
