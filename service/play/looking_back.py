"""What a commit did to the table that it met, as somebody may see it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from events.chain import redact_commit
from events.commit import Commit
from rules.explaining.facts import Fact
from rules.explaining.find_facts import find_facts
from rules.state import EMPTY, State
from rules.view import view
from service.play.games import Games
from service.play.snapshots import Snapshot


class Seen(Struct, frozen=True):
    """Who looks, on which branch, and whether the game is over by now, so that nothing is secret (S1)."""

    viewer: int | None
    branch: int
    opened: bool


class Passage(Struct, frozen=True):
    """One commit with the facts in it, and the table that it led to."""

    commit: Commit
    facts: tuple[Fact, ...]
    after: Snapshot


def look_at(games: Games, game: str, viewer: int | None, branch: int | None) -> tuple[Snapshot, Seen]:
    """The newest snapshot, and how this viewer sees what led there. Raises UnknownGame, BranchLost."""
    newest = games.snapshot(game, branch=branch)
    return newest, Seen(viewer, newest.branch, newest.state.status == "over")


def read_passages(games: Games, game: str, first: int, last: int, seen: Seen) -> Iterator[Passage]:
    """Of the versions from the first to the last. Raises UnknownVersion, UnknownRules, BranchLost."""
    after = games.snapshot(game, last, seen.branch)
    for commit in games.commits(game, first - 1, last - first + 1):
        after = games.snapshot(game, commit.version, seen.branch)
        before = games.snapshot(game, commit.version - 1, seen.branch).state if commit.version > 1 else EMPTY
        shown = redact_commit(commit, seen.viewer, seen.opened)
        yield Passage(shown, find_facts(_show(before, seen), shown.command, shown.events), after)


def _show(state: State, seen: Seen) -> State:
    return state if seen.opened else view(state, seen.viewer)
