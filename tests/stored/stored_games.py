"""Games that earlier code has stored, brought back."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec

from events.commit import convert_raw
from events.store import Store
from rules.releases import Editions

FOLDER = Path(__file__).parent
FINISHED = sorted(FOLDER.glob("release-*/*.ndjson.gz"))
UNFINISHED = sorted(FOLDER.glob("release-*/unfinished/*.json.gz"))

Raws = list[dict[str, Any]]


class UnfinishedGame(msgspec.Struct, frozen=True):
    """As it lay in the store: its commits and its vault; `tokens` are what its people were given."""

    game: str
    commits: Raws
    vault: dict[str, str]
    tokens: dict[int, str]

    def load_into(self, store: Store) -> None:
        vault: dict[str, str] | None = self.vault
        for raw in self.commits:
            store.append(self.game, convert_raw(raw), vault)
            vault = None


def release_of(path: Path) -> str:
    """The number in the name of the folder."""
    folder = next(part for part in path.parts if part.startswith("release-"))
    return folder.removeprefix("release-")


def read_finished(path: Path) -> Raws:
    return [msgspec.json.decode(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def read_unfinished(path: Path) -> UnfinishedGame:
    return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=UnfinishedGame)


def name_of(path: Path) -> str:
    return f"{release_of(path)}-{path.name.partition('.')[0]}"


def releases_in(editions: Editions) -> set[tuple[str, str]]:
    return {(ruleset.id, str(ruleset.release)) for ruleset in editions.releases}
