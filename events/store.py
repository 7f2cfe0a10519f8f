"""The store protocol for commits, its errors, and an in-memory implementation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Protocol
from zlib import crc32

from msgspec import Raw, Struct

from events.chain import GENESIS
from events.commit import Commit, encode, without_request


class Conflict(Exception):
    """The commit does not follow the head of the log: another commit came first."""


class KeyReused(Exception):
    """The idempotency key was used for another request."""


class Repeated(Exception):
    """The request with this key was carried out before, as `version`."""

    def __init__(self, version: int) -> None:
        super().__init__(f"already carried out as version {version}")
        self.version = version


class Trimmed(Exception):
    """The feed no longer holds the entry at this position."""


class Unavailable(Exception):
    """The store cannot be reached, refuses writes, or could not confirm one.

    A command that was sent may have been carried out: repeat it with its idempotency key.
    """

    def __init__(self, text: str, cause: str = "contended") -> None:
        """`cause` is a key of `events.redis.CAUSES`."""
        super().__init__(text)
        self.cause = cause


PARTITIONS = 64
SECRET_BYTES = 32
# How many idempotency keys may stand for one commit, its own included.
MOST_KEYS = 4


class FeedEntry(Struct, frozen=True):
    """One entry of a partition's feed: a game reached a version. A bookmark has an empty `game`."""

    position: str
    game: str
    version: int


def partition(game: str, partitions: int = PARTITIONS) -> int:
    """The feed that a game writes to. It must never change: it is part of the stored keys."""
    return crc32(game.encode()) % partitions


class Store(Protocol):
    """Logs of games, with what is stored beside them. Every method raises Unavailable."""

    @property
    def partitions(self) -> int:
        """The number of feeds."""

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        """Add a commit to a game's log, and secrets to its vault. Raises Conflict, KeyReused or Repeated."""

    def create_with_history(self, game: str, commits: Sequence[Commit], vault: Mapping[str, str]) -> None:
        """Create a game with all these commits at once; the key is that of the last commit.

        Raises Conflict where the game exists, KeyReused or Repeated.
        """

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        """Return the commits after a version, oldest first."""

    def read_stored(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        """Return the commits after a version as the JSON that was stored, which the hash chain covers."""

    def head(self, game: str) -> tuple[int, str]:
        """Return version and hash of the newest commit; (0, GENESIS) for an unknown game."""

    def vault(self, game: str) -> Mapping[str, str]:
        """Return the secrets that are stored beside the log: the seed and the hashes of tokens."""

    def add_to_vault(self, game: str, secrets: Mapping[str, str]) -> None:
        """Add secrets to a game's vault, or replace them."""

    def secret(self) -> bytes:
        """Return the random secret of this store, which is drawn at its first use."""

    def find_request(self, game: str, key: str, request: str) -> int | None:
        """Return the version that carried out this request, or None. Raises KeyReused."""

    def confirm(self, game: str, version: int, head: str) -> None:
        """Wait until this commit is as durable as an append, before another request is told of it.

        Raises Unavailable also where the log has another commit there.
        """

    def remember_request(self, game: str, key: str, request: str, version: int) -> None:
        """Let another key stand for a request that was carried out, up to MOST_KEYS. Raises KeyReused."""

    def forget_private(self, game: str, fields: Sequence[str]) -> None:
        """Delete all idempotency keys of a game, and these fields of its vault."""

    def remove(self, game: str) -> None:
        """Delete the log of a game, its vault and its idempotency keys. Its feed entries stay."""

    def read_feed(self, partition: int, after: str, limit: int) -> Sequence[FeedEntry]:
        """Return feed entries of a partition after a position, or from the start for "". Raises Trimmed."""

    def list_recent(self, partition: int, entries: int) -> Sequence[str]:
        """Return the games of the last entries of a feed, newest first."""

    def add_bookmark(self, partition: int) -> str:
        """Return a position at the end of a partition's feed, to follow it from."""

    def list_games(self) -> Sequence[str]:
        """Return every game that is not in the archive, in no order."""

    def list_archived(self) -> Sequence[str]:
        """Return every game in the archive, in no order."""

    def read_derived(self, games: Sequence[str]) -> Mapping[str, Mapping[str, Raw]]:
        """Return what was derived from games when they went to the archive, of those that are there."""

    def find_present(self, games: Sequence[str]) -> set[str]:
        """Return those of the games that have a log."""


class MemoryStore:
    """A store in the memory of this process, for tests."""

    def __init__(self, partitions: int = 1) -> None:
        self.partitions = partitions
        self._streams: dict[str, list[Commit]] = {}
        self._vaults: dict[str, dict[str, str]] = {}
        self._requests: dict[tuple[str, str], tuple[str, int]] = {}
        self._feeds: list[list[FeedEntry]] = [[] for _ in range(partitions)]
        self._writing = Lock()

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        with self._writing:
            self._refuse_repeat(game, commit)
            if self.head(game) != (commit.version - 1, commit.prev):
                raise Conflict(f"{game} is at version {self.head(game)[0]}")
            self._streams.setdefault(game, []).append(without_request(commit))
            self.add_to_vault(game, vault or {})
            if commit.key:
                self._requests[game, commit.key] = (commit.request, commit.version)
            feed = self._feeds[partition(game, self.partitions)]
            feed.append(FeedEntry(str(len(feed) + 1), game, commit.version))

    def create_with_history(self, game: str, commits: Sequence[Commit], vault: Mapping[str, str]) -> None:
        *before, last = commits
        if self._streams.setdefault(game, before) is not before:
            self._refuse_repeat(game, last)
            raise Conflict(f"{game} exists already")
        self.append(game, last, vault)

    def _refuse_repeat(self, game: str, commit: Commit) -> None:
        version = self.find_request(game, commit.key, commit.request) if commit.key else None
        if version is not None:
            raise Repeated(version)

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        stream = self._streams.get(game, [])
        return stream[after : None if limit is None else after + limit]

    def read_stored(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        return [encode(commit) for commit in self.read(game, after, limit)]

    def head(self, game: str) -> tuple[int, str]:
        stream = self._streams.get(game)
        return (stream[-1].version, stream[-1].hash) if stream else (0, GENESIS)

    def vault(self, game: str) -> Mapping[str, str]:
        return dict(self._vaults.get(game, {}))

    def add_to_vault(self, game: str, secrets: Mapping[str, str]) -> None:
        self._vaults.setdefault(game, {}).update(secrets)

    def secret(self) -> bytes:
        """Zeros, so that a test can play one game in two stores."""
        return bytes(SECRET_BYTES)

    def find_request(self, game: str, key: str, request: str) -> int | None:
        known = self._requests.get((game, key))
        if known is None:
            return None
        if known[0] != request:
            raise KeyReused(key)
        return known[1]

    def confirm(self, game: str, version: int, head: str) -> None:
        """Return at once: nothing here outlives the process."""

    def remember_request(self, game: str, key: str, request: str, version: int) -> None:
        with self._writing:
            known = [at for (name, _), (_, at) in self._requests.items() if name == game]
            if self.find_request(game, key, request) is None and known.count(version) < MOST_KEYS:
                self._requests[game, key] = (request, version)

    def forget_private(self, game: str, fields: Sequence[str]) -> None:
        with self._writing:
            self._requests = {key: known for key, known in self._requests.items() if key[0] != game}
            for field in fields:
                self._vaults[game].pop(field, None)

    def remove(self, game: str) -> None:
        with self._writing:
            self._streams.pop(game, None)
            self._vaults.pop(game, None)
            self._requests = {key: known for key, known in self._requests.items() if key[0] != game}

    def read_feed(self, partition: int, after: str, limit: int) -> Sequence[FeedEntry]:
        start = int(after or 0)
        return self._feeds[partition][start : start + limit]

    def list_recent(self, partition: int, entries: int) -> Sequence[str]:
        return [entry.game for entry in reversed(self._feeds[partition][-entries:])]

    def add_bookmark(self, partition: int) -> str:
        return str(len(self._feeds[partition]))

    def list_games(self) -> Sequence[str]:
        return list(self._streams)

    def list_archived(self) -> Sequence[str]:
        return ()

    def read_derived(self, games: Sequence[str]) -> Mapping[str, Mapping[str, Raw]]:
        return {}

    def find_present(self, games: Sequence[str]) -> set[str]:
        return {game for game in games if game in self._streams}
