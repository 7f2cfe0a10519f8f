"""Keeps games that are over outside of Redis: `Archive`.

A game is two objects, `NN/GAME.ndjson.gz` and `NN/GAME.private.json.gz`. The first is what `/export` gives.
The second holds what the export does not, and is never served. NN is one of 64 folders, for stores with any
number of partitions: an archive may outlive the store that wrote it, and serve another one.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from zlib import crc32

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from events.commit import Unreadable, decode, decode_raw, encode
from events.objects import Objects
from events.recently_used import RecentlyUsed
from events.store import Unavailable

# Other names may mean something to a file system. Every id that this service makes is allowed.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)
_LOG = ".ndjson.gz"
_PRIVATE = ".private.json.gz"
# How many games a process remembers: a log takes some 100 KB, the private part 2 KB.
MOST_LOGS = 32
MOST_PRIVATE = 1_000
_VERSION_BYTES = 4
FOLDERS = 64


class NotArchived(Exception):
    """The archive holds something else under the name of a game, or did not store what was written."""


class Damaged(Unavailable):
    """An object of the archive is missing or is not what was written; other games are not concerned."""


class Stub(Struct, frozen=True):
    """What Redis keeps of a game in the archive: version and hash of its newest commit."""

    version: int
    head: str


def encode_stub(stub: Stub) -> bytes:
    """Return a stub as Redis stores it."""
    return stub.version.to_bytes(_VERSION_BYTES, "big") + bytes.fromhex(stub.head)


def decode_stub(stored: bytes) -> Stub:
    """Return the stub that is stored as these bytes."""
    return Stub(int.from_bytes(stored[:_VERSION_BYTES], "big"), stored[_VERSION_BYTES:].hex())


class PrivatePart(Struct, frozen=True, omit_defaults=True):
    """Holds what an export does not.

    `vault` and `requests` are what Redis held beside the log. `imported` is when an imported game came here,
    `tail` the commits after the end, such as a rematch. `derived` is for what was derived from the log: its
    rows in lists and its counts.
    """

    vault: dict[str, str]
    requests: dict[str, str] = {}
    imported: str = ""
    tail: tuple[Raw, ...] = ()
    derived: dict[str, Raw] = {}


def is_archivable(game: str) -> bool:
    """Return whether a game's id can be the name of an object."""
    return _NAME.fullmatch(game) is not None


def folder_of(game: str) -> int:
    """Return the number of the folder that a game is in. It must never change: it is part of stored names."""
    return crc32(game.encode()) % FOLDERS


def object_name(game: str, kind: str = _LOG) -> str:
    """Return the name of an object of a game."""
    return f"{folder_of(game):02d}/{game}{kind}"


class Archive:
    """Reads and writes archived games."""

    def __init__(self, objects: Objects) -> None:
        """Keep games in these objects."""
        self._objects = objects
        self._logs: RecentlyUsed[tuple[Stub, Sequence[bytes]]] = RecentlyUsed(MOST_LOGS)
        self._private: RecentlyUsed[tuple[Stub, PrivatePart]] = RecentlyUsed(MOST_PRIVATE)

    def write(self, game: str, export: bytes, private: PrivatePart) -> None:
        """Store a game so that it lasts, and compare what is read back. Raises NotArchived and Unavailable.

        An export that is there already stays, and has to be the same. The private part comes first: a game
        whose export is there is whole.
        """
        if not is_archivable(game):
            raise NotArchived(f"{game!r} cannot be the name of an object")
        if self._read(object_name(game)) not in (None, export):
            raise NotArchived(f"the archive has another log under the name of {game}")
        encoded = msgspec.json.encode(private)
        self._objects.replace(object_name(game, _PRIVATE), _compress(encoded))
        self._objects.create(object_name(game), _compress(export))
        stored = self._read(object_name(game)), self._read(object_name(game, _PRIVATE))
        if stored != (export, encoded):
            raise NotArchived(f"the archive did not store {game} as it was written")
        self._private.drop(game)

    def replace_private(self, game: str, private: PrivatePart) -> None:
        """Store another private part of an archived game. Raises Unavailable."""
        self._objects.replace(object_name(game, _PRIVATE), _compress(msgspec.json.encode(private)))
        self._private.drop(game)

    def read_export(self, game: str) -> bytes | None:
        """Return what `/export` gives, or None for a game that is not here. Raises Unavailable."""
        return self._read(object_name(game))

    def read_log(self, game: str, stub: Stub) -> Sequence[bytes]:
        """Return the JSON of all commits, of the log that the stub names. Raises Unavailable."""
        known = self._logs.find(game)
        if known is None or known[0] != stub:
            known = (stub, self._load_log(game, stub))
            self._logs.keep(game, known)
        return known[1]

    def _load_log(self, game: str, stub: Stub) -> Sequence[bytes]:
        commits = self.find_log(game)
        if commits is None:
            raise _damaged(f"{object_name(game)} is missing")
        try:
            head = decode_raw(commits[-1])["hash"]
        except (Unreadable, LookupError):
            head = ""
        if (len(commits), head) != (stub.version, stub.head):
            raise _damaged(f"{object_name(game)} is not at version {stub.version} with its head")
        return commits

    def find_log(self, game: str) -> Sequence[bytes] | None:
        """Return the JSON of all commits that the archive has of a game, or None. Raises Unavailable."""
        export = self.read_export(game)
        if export is None:
            return None
        private = self._load_private(game)
        commits = export.splitlines()[1:]
        if private.imported and commits:
            commits[0] = encode(replace(decode(commits[0]), imported=private.imported))
        return [*commits, *map(bytes, private.tail)]

    def read_private(self, game: str, stub: Stub) -> PrivatePart:
        """Return the private part of a game that Redis has this stub of. Raises Unavailable."""
        known = self._private.find(game)
        if known is None or known[0] != stub:
            known = (stub, self._load_private(game))
            self._private.keep(game, known)
        return known[1]

    def find_derived(self, game: str) -> dict[str, Raw]:
        """Return what was derived from a game that is here; nothing of another. Raises Unavailable."""
        return self._load_private(game).derived if self.read_export(game) else {}

    def _load_private(self, game: str) -> PrivatePart:
        stored = self._read(object_name(game, _PRIVATE))
        if stored is None:
            raise _damaged(f"{object_name(game, _PRIVATE)} is missing")
        try:
            return msgspec.json.decode(stored, type=PrivatePart)
        except (msgspec.DecodeError, UnicodeDecodeError) as fault:
            raise _damaged(f"{object_name(game, _PRIVATE)}: {fault}") from fault

    def _read(self, name: str) -> bytes | None:
        """Return an object uncompressed, or None if there is none."""
        stored = self._objects.read(name)
        if stored is None:
            return None
        try:
            return gzip.decompress(stored)
        except (OSError, EOFError, zlib.error) as fault:
            raise _damaged(f"{name}: {fault}") from fault

    def delete(self, game: str) -> None:
        """Delete what the archive has of a game; the log goes first. Raises Unavailable."""
        if is_archivable(game):
            self._objects.delete(object_name(game))
            self._objects.delete(object_name(game, _PRIVATE))
        self._logs.drop(game)
        self._private.drop(game)

    def list_games(self, number: int) -> Iterator[str]:
        """Yield the games of a folder of the archive, in no order. Raises Unavailable."""
        folder = f"{number:02d}"
        for name in self._objects.list(folder):
            if name.endswith(_LOG):
                yield name.removeprefix(f"{folder}/").removesuffix(_LOG)


def _compress(content: bytes) -> bytes:
    """Return the content as gzip, without a time in it: the same content gives the same bytes."""
    return gzip.compress(content, mtime=0)


def _damaged(why: str) -> Damaged:
    return Damaged(f"the archive: {why}", cause="archive")
