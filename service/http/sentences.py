"""Tells commits in sentences, for readers of events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from events.chain import redact_commit
from events.commit import Commit
from events.recently_used import RecentlyUsed
from rules import view
from rules.explain.facts import find_facts
from rules.explain.sentences import format_facts
from rules.releases import UnknownRules
from rules.state import EMPTY
from service.games.cache import BrokenLog
from service.games.games import Games
from service.games.snapshots import (
    LogReplaced,
    Snapshot,
    UnknownGame,
    UnknownVersion,
    begin_log,
    fold_commits,
)
from service.history.timeline import CommitContext
from service.http.names import name_in
from service.players.names import Names

# Live games whose newest table is remembered, so that a new commit is told without reading the log again.
MOST_TABLES = 1_000
Sentences = tuple[str, ...]


class CommitTeller:
    """Puts commits into sentences as a viewer may see them, with the names that players have now."""

    def __init__(self, games: Games, names: Names) -> None:
        """Read tables from these games."""
        self._games = games
        self._names = names
        self._tables: RecentlyUsed[Snapshot] = RecentlyUsed(MOST_TABLES)

    def tell(
        self, game: str, commits: Sequence[Commit], viewer: int | None, opened: bool
    ) -> Sequence[Sentences]:
        """Return the sentences of each commit; none where the rules or the table before are not known.

        `opened` is true of a game that is over: nothing in it is secret (S1).
        """
        try:
            return list(self._tell(game, commits, viewer, opened))
        except (UnknownRules, UnknownGame, UnknownVersion, BrokenLog, LogReplaced):
            return [()] * len(commits)

    def _tell(
        self, game: str, commits: Sequence[Commit], viewer: int | None, opened: bool
    ) -> Iterator[Sentences]:
        naming = name_in(self._games, game, self._names.for_one_reply())
        table = self._find_table(game, commits[0]) if commits else None
        before = EMPTY if table is None else naming(table).state
        for commit in commits:
            table = fold_commits(begin_log(game) if table is None else table, [commit])
            after = naming(table)
            shown = redact_commit(commit, viewer, opened)
            seen = before if opened else view(before, viewer)
            context = CommitContext(shown, find_facts(seen, shown.command, shown.events), before, after)
            yield format_facts(context.facts, context.told_of)
            before = after.state
        if table is not None:
            self._tables.keep(_name_table(game, table.version, table.head), table)

    def _find_table(self, game: str, commit: Commit) -> Snapshot | None:
        """Return the table before a commit; None before the first. Raises UnknownVersion and BrokenLog."""
        before = commit.version - 1
        if not before:
            return None
        known = self._tables.find(_name_table(game, before, commit.prev))
        return known or self._games.snapshot(game, before)


def _name_table(game: str, version: int, head: str) -> str:
    return f"{game}|{version}|{head}"
