"""Whole games: they go out as files, come in as such, and are played on from wherever one likes."""

from __future__ import annotations

from msgspec import Struct

from events.store import Store
from events.values import Visibility
from service.fairness.export_file import MOST_COMMITS, cut_at_end, write_file
from service.games.cache import Snapshots
from service.games.snapshots import Snapshot
from service.games.tokens import SecretsCache
from service.history.forks import Clock, Forks, Ids, Seeds
from service.history.imports import Imports


class ExportedGame(Struct, frozen=True):
    """A file, and what it is known by: version and hash of its last commit. Once it is over it stays."""

    file: bytes
    version: int
    head: str
    ended: str
    visibility: Visibility
    imported: str


class Archive:
    def __init__(
        self, store: Store, snapshots: Snapshots, vaults: SecretsCache, clock: Clock, seeds: Seeds, ids: Ids
    ) -> None:
        self._snapshots = snapshots
        self.imports = Imports(store, clock)
        self.forks = Forks(store, snapshots, vaults, clock, seeds, ids)

    def read_versions(self, game: str, first: int, last: int, log_epoch: int | None = None) -> list[Snapshot]:
        """All of these, from one reading. Raises UnknownGame, UnknownVersion, and LogReplaced."""
        return self._snapshots.load_versions(game, first, last, log_epoch)

    def export(self, game: str, seat: int | None = None, log_epoch: int | None = None) -> ExportedGame:
        """As the seat may see it. Raises UnknownGame, BrokenLog, and LogReplaced in another epoch."""
        reading = self._snapshots.load_with(game, 0, MOST_COMMITS, log_epoch)
        snapshot, commits = reading.snapshot, cut_at_end(reading.page.commits)
        last = commits[-1]
        file = write_file(commits, seat)
        seen, imported = snapshot.state.visibility, snapshot.imported_at
        return ExportedGame(file, last.version, last.hash, snapshot.ended_at, seen, imported)
