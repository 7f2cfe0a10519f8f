"""Exports whole games as files; gives access to imports and forks: `GameFiles`."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from events.values import Visibility
from service.fairness.export_file import MOST_COMMITS, cut_at_end, write_lines
from service.fairness.signatures import Signature, read_stored
from service.games.games import Games
from service.games.heavy_work import Stretch
from service.games.tokens import SIGNATURE_FIELD
from service.history.forks import Forks
from service.history.imports import Imports


class ExportedGame(Struct, frozen=True):
    """Holds an export file with version and hash of its last commit.

    Once the game is over, the file never changes.
    """

    file: bytes
    version: int
    head: str
    ended: str
    visibility: Visibility
    imported: str
    sandbox: bool
    edition: str


def find_signature(vault: Mapping[str, str]) -> Signature | None:
    """Return the signature that is stored with a game; None if it was not signed."""
    return read_stored(vault.get(SIGNATURE_FIELD, ""))


class GameFiles:
    """Exports games; `imports` and `forks` make games from files and from other games."""

    def __init__(self, games: Games) -> None:
        """Export these games."""
        self._store = games.store
        self._snapshots = games.snapshots
        self.imports = Imports(games.store, games.clock)
        self.forks = Forks(games)

    def export(self, game: str, seat: int | None = None, log_epoch: int | None = None) -> ExportedGame:
        """Export a game as the seat may see it. Raises UnknownGame, BrokenLog, LogReplaced."""
        reading = self._snapshots.load_with(game, 0, MOST_COMMITS, log_epoch)
        snapshot = reading.snapshot
        commits = cut_at_end(reading.page.commits)
        last = commits[-1]
        stretch = Stretch()
        lines = []
        signature = find_signature(self._store.vault(game)) if snapshot.ended_at else None
        for line in write_lines(commits, seat, signature):
            stretch.pause()
            lines.append(line)
        return ExportedGame(
            file=b"\n".join([*lines, b""]),
            version=last.version,
            head=last.hash,
            ended=snapshot.ended_at,
            visibility=snapshot.state.visibility,
            imported=snapshot.imported_at,
            sandbox=snapshot.state.sandbox,
            edition=snapshot.state.edition,
        )
