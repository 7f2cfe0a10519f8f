"""Moves games that are over from Redis to the archive: `Archiver`.

A game is written, read back and compared before one script drops it and leaves a stub, so that a crash at any
step leaves it whole in one place or the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Raw

from events.archive import Archive, NotArchived, PrivatePart, Stub
from events.chain import GENESIS
from events.commit import Commit, decode, encode, without_request
from events.redis_store import ArchivedGame, Beside, RedisStore
from service import logs
from service.fairness.export_file import cut_at_end, write_file
from service.games.cache import Snapshots

log = logs.logger()


class Archiver:
    """Moves games to the archive."""

    def __init__(self, store: RedisStore, snapshots: Snapshots, archive: Archive) -> None:
        """Move games from this store to that archive."""
        self._store = store
        self._snapshots = snapshots
        self._archive = archive

    def archive(self, game: str, derived: Mapping[str, Raw] | None = None) -> bool:
        """Move a game to the archive; return False if it has changed meanwhile.

        `derived` is what was derived from it, for the private part. A game that is there already stays so.
        Raises UnknownGame, BrokenLog, NotArchived and Unavailable.
        """
        if self._store.is_archived(game) or self.adopt(game):
            return True
        self._snapshots.check_whole(game)
        beside = self._store.read_beside(game)
        commits = [without_request(commit) for commit in self._store.read(game)]
        if not commits:
            return False
        export = write_file(commits)
        private = _make_private_part(commits, beside, derived or {})
        self._archive.write(game, export, private)
        written = [decode(commit) for commit in self._archive.find_log(game) or ()]
        if written != commits:
            raise NotArchived(f"{game} cannot be read from the archive as it was")
        stub = Stub(commits[-1].version, commits[-1].hash)
        return self._store.move_to_archive(game, stub, stub, beside)

    def adopt(self, game: str) -> bool:
        """Let the archive win where its log goes on from the older one in Redis; return whether it did.

        Raises Unavailable.
        """
        commits = [decode(commit) for commit in self._archive.find_log(game) or ()]
        version, head = self._store.head(game)
        if len(commits) <= version:
            return False
        before = commits[version - 1].hash if version else GENESIS
        if before != head:
            log.error(
                "archive_differs",
                game=game,
                meaning="the archive has another log under the name of this game; the one in Redis is served",
            )
            return False
        archived = Stub(commits[-1].version, commits[-1].hash)
        if version:
            beside = self._store.read_beside(game)
            return self._store.move_to_archive(game, Stub(version, head), archived, beside)
        self._store.add_stub(game, archived)
        return True

    def take_over(self, archived: ArchivedGame) -> bool:
        """Store a game of another archive; return False if Redis has another log meanwhile.

        Raises NotArchived and Unavailable.
        """
        self._archive.write(archived.game, archived.export.encode(), archived.private)
        return self.adopt(archived.game)

    def find_missing(self, number: int) -> Sequence[str]:
        """Return the games of a partition that the archive has, and of which Redis has no stub.

        Raises Unavailable.
        """
        known = set(self._store.list_stubs(number))
        return [game for game in self._archive.list_games(number) if game not in known]


def _make_private_part(commits: Sequence[Commit], beside: Beside, derived: Mapping[str, Raw]) -> PrivatePart:
    """Return what the export of these commits does not hold."""
    tail = commits[len(cut_at_end(commits)) :]
    return PrivatePart(
        vault=dict(beside.vault),
        requests=dict(beside.requests),
        imported=commits[0].imported,
        tail=tuple(Raw(encode(commit)) for commit in tail),
        derived=dict(derived),
    )
