"""Stores commits in Redis: one stream per game, one Lua script per append.

Of a game that went to the archive, Redis has a stub; the store reads such a game from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from secrets import token_bytes
from typing import Any, TypeVar

from msgspec import Raw, Struct
from msgspec.structs import replace
from redis import Redis

from events.archive import Archive, PrivatePart, Stub, decode_stub, encode_stub
from events.chain import GENESIS
from events.commit import Commit, decode, decode_raw
from events.durability import Script, count_wanted_replicas, send_durably
from events.layout import LAYOUTS, Layout, find_layout
from events.packing import pack, unpack
from events.redis import is_cluster, translate_redis_errors
from events.store import (
    MOST_KEYS,
    SECRET_BYTES,
    Conflict,
    FeedEntry,
    KeyReused,
    Repeated,
    Trimmed,
    Unavailable,
)

T = TypeVar("T")


def _read_script(name: str) -> Script:
    return Script(files("events").joinpath(name).read_bytes())


BELL = "croupier:bell"
LONGEST_FEED = 5_000
HASH_BYTES = 32
# How many entries of a log are read at a time: a few milliseconds, and more than most games have.
PAGE = 500
# How often a log is read again that is replaced while it is read.
MOST_READINGS = 3
_GAMES = "croupier:{*}:game:*"
_SECRET = "croupier:{secret}:ids"
APPEND = _read_script("append.lua")
CREATE_WITH_HISTORY = _read_script("create_with_history.lua")
MOVE_TO_ARCHIVE = _read_script("move_to_archive.lua")
RESTORE = _read_script("restore.lua")
RETURN_FROM_ARCHIVE = _read_script("return_from_archive.lua")
# What the scripts reply where they wrote nothing.
_CONFLICT = -1
_KEY_REUSED = -2
_ARCHIVED = -3


class StoredEntry(Struct, frozen=True, array_like=True):
    """One entry of a stream as it is stored; entries of 0.2 and before have their hash in hex."""

    version: int
    hash: bytes
    entry: bytes


class StoredGame(Struct, frozen=True):
    """A whole game as it is stored, to be copied to another Redis."""

    game: str
    entries: Sequence[StoredEntry]
    vault: Mapping[str, str]
    requests: Mapping[str, str]

    @property
    def version(self) -> int:
        return self.entries[-1].version

    def find_hash(self, version: int) -> str | None:
        """Return the hash of a version in hex; None where the log does not have that version."""
        for entry in reversed(self.entries):
            if entry.version == version:
                return _read_hash(entry.hash)
        return None

    def unpack(self) -> Iterator[bytes]:
        """Yield the JSON of the commits."""
        prev = GENESIS
        for entry in self.entries:
            hash = _read_hash(entry.hash)
            yield unpack(entry.entry, prev, hash)
            prev = hash


class Beside(Struct, frozen=True):
    """Holds what is stored beside the log of a game: its secrets, and its idempotency keys."""

    vault: Mapping[str, str]
    requests: Mapping[str, str]


class ArchivedGame(Struct, frozen=True):
    """A whole game as the archive has it, to be copied to another one."""

    game: str
    export: str
    private: PrivatePart

    @property
    def version(self) -> int:
        return len(self.unpack())

    def find_hash(self, version: int) -> str | None:
        """Return the hash of a version in hex; None where the log does not have that version."""
        commits = self.unpack()
        return str(decode_raw(commits[version - 1])["hash"]) if 0 < version <= len(commits) else None

    def unpack(self) -> Sequence[bytes]:
        """Return the JSON of the commits."""
        return [*self.export.encode().splitlines()[1:], *map(bytes, self.private.tail)]


class RedisStore:
    """A store in Redis.

    The client must neither decode replies nor retry commands: see `events.redis.connect`.
    """

    def __init__(
        self, client: Redis, longest_feed: int = LONGEST_FEED, archive: Archive | None = None
    ) -> None:
        """Use that client's Redis; games that are not there any more are in the archive."""
        self._redis = client
        self._longest_feed = longest_feed
        self._archive = archive
        self._confirmed_secret = b""
        self._layout: Layout | None = None

    @property
    def layout(self) -> Layout:
        """The keys of games. Read once, from Redis; raises Unavailable."""
        if self._layout is None:
            self._layout = find_layout(self._redis)
        return self._layout

    @property
    def partitions(self) -> int:
        return self.layout.partitions

    def _keys(self, game: str) -> tuple[str, ...]:
        return _list_keys(self.layout.partitions, game)

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        arguments = self._append_arguments(game, commit, vault or {})
        result = APPEND.run(self._redis, self._keys(game), arguments)
        if result == _ARCHIVED:
            self._restore_for(game, commit)
            result = APPEND.run(self._redis, self._keys(game), arguments)
        self._raise_refusal(result, game, commit)

    def _raise_refusal(self, result: int, game: str, commit: Commit) -> None:
        """Raise the error that a script's reply stands for; a positive reply is a version."""
        if result == _CONFLICT:
            raise Conflict(f"{game} is not at version {commit.version - 1} with that head")
        if result == _KEY_REUSED:
            raise KeyReused(commit.key)
        if result > 0:
            raise Repeated(result)

    def create_with_history(self, game: str, commits: Sequence[Commit], vault: Mapping[str, str]) -> None:
        last = commits[-1]
        arguments: list[str | bytes | int] = [
            game,
            last.version,
            last.key,
            last.request,
            self._longest_feed,
            BELL,
            len(vault),
        ]
        for name, secret in vault.items():
            arguments += (name, secret)
        for commit in commits:
            arguments += (bytes.fromhex(commit.hash), pack(commit))
        result = CREATE_WITH_HISTORY.run(self._redis, self._keys(game), arguments)
        if result == _ARCHIVED:
            self._refuse_repeat(game, last)
            result = _CONFLICT
        self._raise_refusal(result, game, last)

    def _append_arguments(
        self, game: str, commit: Commit, vault: Mapping[str, str]
    ) -> list[str | bytes | int]:
        """Return the ARGV of append.lua, in its order."""
        arguments: list[str | bytes | int] = [
            commit.version,
            bytes.fromhex(commit.prev),
            bytes.fromhex(commit.hash),
            pack(commit),
            commit.key,
            commit.request,
            game,
            commit.prev,
            self._longest_feed,
            BELL,
        ]
        for name, secret in vault.items():
            arguments += (name, secret)
        return arguments

    def read(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[Commit]:
        return self._read_pages(game, after, limit, decode)

    def read_stored(self, game: str, after: int = 0, limit: int | None = None) -> Sequence[bytes]:
        return self._read_pages(game, after, limit, bytes)

    def _read_pages(self, game: str, after: int, limit: int | None, read: Callable[[bytes], T]) -> list[T]:
        """Return what `read` makes of each entry after a version.

        A long log is read in pages, so that other requests run between them. Each page begins with the last
        entry of the one before: if that has changed, the log was replaced meanwhile and is read again.
        """
        for _ in range(MOST_READINGS):
            found: list[T] = []
            head = None
            start = after
            while True:
                wanted = PAGE if limit is None else min(PAGE, limit - len(found))
                entries = self._read_page(game, start, wanted)
                if not entries and not found:
                    return [read(entry) for entry in self._read_archived(game, after, limit)]
                if head is not None and (not entries or entries[0][1][3] != head):
                    break
                new = [read(entry) for entry in _unpack_entries(entries, start)]
                found += new
                if len(new) < wanted or len(found) == limit:
                    return found
                position, fields = entries[-1]
                head = fields[3]
                start = _version_of(position)
        raise Unavailable(f"{game} was replaced while it was read")

    def _read_page(self, game: str, after: int, number: int) -> Any:
        """Return the entry at a version and up to `number` after it, with their ids and fields.

        The hash of the one before is the `prev` of the next.
        """
        call: Any = self._redis
        with translate_redis_errors():
            # The name in bytes: redis-py has no parser for that and leaves the reply flat.
            return call.execute_command(
                b"XRANGE",
                self.layout.game_key("game", game),
                f"{after}-0" if after else "-",
                "+",
                "COUNT",
                number + bool(after),
            )

    def read_whole(self, game: str) -> StoredGame | None:
        """Return a game as it is stored, all of it at one version; None where there is no such game.

        The vault and the requests are read in one transaction with the newest entries. The entries before
        them never change; if they did, the log was replaced meanwhile and is read again.
        """
        for _ in range(MOST_READINGS):
            entries: list[StoredEntry] = []
            while True:
                last = entries[-1] if entries else None
                with translate_redis_errors(), self._redis.pipeline(transaction=True) as at_once:
                    start = f"{last.version}-0" if last else "-"
                    at_once.xrange(self.layout.game_key("game", game), start, "+", PAGE + bool(last))
                    at_once.hgetall(self.layout.game_key("vault", game))
                    at_once.hgetall(self.layout.game_key("requests", game))
                    found, vault, requests = at_once.execute()
                read = [StoredEntry(_version_of(at), fields[b"h"], fields[b"e"]) for at, fields in found]
                if last and read[:1] != [last]:
                    break
                new = read[bool(last) :]
                entries += new
                if not entries:
                    return self._read_whole_archived(game)
                if len(new) < PAGE:
                    return StoredGame(game, entries, _decode_hash(vault), _decode_hash(requests))
        raise Unavailable(f"{game} was replaced while it was read")

    def _read_whole_archived(self, game: str) -> StoredGame | None:
        """Return an archived game as a stream would store it; None where there is no such game."""
        stub = self._find_stub(game)
        if stub is None:
            return None
        commits = map(decode, self._require_archive().read_log(game, stub))
        entries = [
            StoredEntry(commit.version, bytes.fromhex(commit.hash), pack(commit)) for commit in commits
        ]
        private = self._read_private(game, stub)
        return StoredGame(game, entries, private.vault, private.requests)

    def read_stored_hash(self, game: str, version: int) -> str | None:
        """Return the hash of a version; None where the log does not have that version."""
        with translate_redis_errors():
            found: Any = self._redis.xrange(
                self.layout.game_key("game", game), f"{version}-0", f"{version}-0"
            )
        if found:
            return _read_hash(found[0][1][b"h"])
        archived = self._read_archived(game, version - 1, 1)
        return decode(archived[0]).hash if archived else None

    def read_archived_game(self, game: str) -> ArchivedGame | None:
        """Return a game as the archive has it; None where it is not there. Raises Unavailable."""
        stub = self._find_stub(game)
        if stub is None:
            return None
        # Compares the log with the stub.
        self._require_archive().read_log(game, stub)
        export = self._require_archive().read_export(game) or b""
        return ArchivedGame(game, export.decode(), self._read_private(game, stub))

    def restore(self, stored: StoredGame, after: int = 0, head: str = GENESIS) -> None:
        """Write a game as it was stored: all of it, or what follows the log that is there.

        `after` and `head` are version and hash of that log. Raises Conflict where it is another one.
        """
        arguments: list[str | bytes | int] = [
            stored.game,
            after,
            bytes.fromhex(head),
            head,
            self._longest_feed,
            BELL,
            len(stored.vault),
            len(stored.requests),
        ]
        for fields in (stored.vault, stored.requests):
            for name, value in fields.items():
                arguments += (name, value)
        for entry in stored.entries:
            arguments += (entry.version, entry.hash, entry.entry)
        if RESTORE.run(self._redis, self._keys(stored.game), arguments) == _CONFLICT:
            raise Conflict(f"{stored.game} is not at version {after} with that head")

    def head(self, game: str) -> tuple[int, str]:
        with translate_redis_errors():
            newest: Any = self._redis.xrevrange(self.layout.game_key("game", game), count=1)
        for position, fields in newest:
            return _version_of(position), _read_hash(fields[b"h"])
        stub = self._find_stub(game)
        return (stub.version, stub.head) if stub else (0, GENESIS)

    def vault(self, game: str) -> Mapping[str, str]:
        with translate_redis_errors():
            secrets: Any = self._redis.hgetall(self.layout.game_key("vault", game))
        if secrets:
            return _decode_hash(secrets)
        stub = self._find_stub(game)
        return self._read_private(game, stub).vault if stub else {}

    def add_to_vault(self, game: str, secrets: Mapping[str, str]) -> None:
        name = self.layout.game_key("vault", game)
        fields = [part for field in secrets.items() for part in field]
        if fields:
            stub = self._find_stub(game)
            if stub:
                self._restore(game, stub)
            with translate_redis_errors():
                send_durably(self._redis, name, "HSET", name, *fields)

    def secret(self) -> bytes:
        """Read anew each time: after a restore of the server it may be another.

        In a cluster the one that was read last counts while its server is away: games are created on others.
        """
        try:
            with translate_redis_errors():
                known: Any = self._redis.get(_SECRET)
                if known is None:
                    send_durably(self._redis, _SECRET, "SET", _SECRET, token_bytes(SECRET_BYTES), "NX")
                if known is None or known != self._confirmed_secret:
                    known = send_durably(self._redis, _SECRET, "GET", _SECRET)
                    self._confirmed_secret = known
        except Unavailable:
            if not self._confirmed_secret or not is_cluster(self._redis):
                raise
            known = self._confirmed_secret
        return bytes(known)

    def replace_secret(self, secret: bytes) -> None:
        """Set the secret of this store, to that of the store from which its games come."""
        with translate_redis_errors():
            send_durably(self._redis, _SECRET, "SET", _SECRET, secret)

    def find_request(self, game: str, key: str, request: str) -> int | None:
        name = self.layout.game_key("requests", game)
        with translate_redis_errors():
            known: Any = send_durably(self._redis, name, "HGET", name, key)
        if known is not None:
            return _match_request(known.decode(), key, request)
        stub = self._find_stub(game)
        archived = self._read_private(game, stub).requests.get(key) if stub else None
        return None if archived is None else _match_request(archived, key, request)

    def confirm(self, game: str, version: int, head: str) -> None:
        if not count_wanted_replicas(self._redis):
            return
        name = self.layout.game_key("game", game)
        position = f"{version}-0"
        with translate_redis_errors():
            found: Any = send_durably(self._redis, name, b"XRANGE", name, position, position)
        # Of a game in the archive, the file is as durable as can be.
        there = _read_hash(found[0][1][3]) if found else self.read_stored_hash(game, version)
        if there != head:
            raise Unavailable(f"the log of {game} has another version {version} now", "replicas")

    def remember_request(self, game: str, key: str, request: str, version: int) -> None:
        """Do as the protocol says; a game in the archive takes no new keys."""
        if self._find_stub(game):
            return
        name = self.layout.game_key("requests", game)
        with translate_redis_errors():
            stored: Any = self._redis.hvals(name)
            keys_of_version = sum(entry.startswith(b"%d:" % version) for entry in stored)
            added = keys_of_version < MOST_KEYS and self._redis.hsetnx(name, key, f"{version}:{request}")
        if not added:
            self.find_request(game, key, request)

    def forget_private(self, game: str, fields: Sequence[str]) -> None:
        stub = self._find_stub(game)
        if stub:
            private = self._read_private(game, stub)
            vault = {name: secret for name, secret in private.vault.items() if name not in fields}
            self._require_archive().replace_private(game, replace(private, vault=vault, requests={}))
            return
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as transaction:
            transaction.delete(self.layout.game_key("requests", game))
            if fields:
                transaction.hdel(self.layout.game_key("vault", game), *fields)
            transaction.execute()

    def remove(self, game: str) -> None:
        names = [self.layout.game_key(kind, game) for kind in ("game", "vault", "requests")]
        with translate_redis_errors():
            send_durably(self._redis, names[0], "DEL", *names)
        if self._find_stub(game):
            # The stub goes last: a removal that breaks off can be repeated.
            self._require_archive().delete(game)
            stubs = self._stubs_key(game)
            with translate_redis_errors():
                send_durably(self._redis, stubs, "HDEL", stubs, game)

    def read_feed(self, partition: int, after: str, limit: int) -> Sequence[FeedEntry]:
        """Read from the entry at `after` on: while it exists, no entry behind it was trimmed."""
        with translate_redis_errors():
            found: Any = self._redis.xrange(
                self.layout.feed_key(partition), after or "-", "+", limit + bool(after)
            )
        entries = [_feed_entry(position, fields) for position, fields in found]
        if not after:
            return entries
        if not entries or entries[0].position != after:
            raise Trimmed(f"the feed of partition {partition} has lost {after}")
        return entries[1:]

    def list_recent(self, partition: int, entries: int) -> Sequence[str]:
        with translate_redis_errors():
            found: Any = self._redis.xrevrange(self.layout.feed_key(partition), count=entries)
        return [fields[b"g"].decode() for _, fields in found if fields[b"g"]]

    def add_bookmark(self, partition: int) -> str:
        """Add an entry without a game, so that the position exists even in an empty feed."""
        with translate_redis_errors():
            position: Any = self._redis.xadd(
                self.layout.feed_key(partition),
                {"g": "", "v": 0},
                maxlen=self._longest_feed,
                approximate=True,
            )
        return str(position.decode())

    def list_games(self) -> Sequence[str]:
        with translate_redis_errors():
            found = {name.decode() for name in self._redis.scan_iter(_GAMES, count=1000)}
        return [name.split(":", 3)[3] for name in found]

    def find_present(self, games: Sequence[str]) -> set[str]:
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for game in games:
                batch.exists(self.layout.game_key("game", game))
                batch.hexists(self._stubs_key(game), game)
            found = iter(batch.execute())
            return {game for game, *present in zip(games, found, found, strict=True) if any(present)}

    def list_archived(self) -> Sequence[str]:
        return [game for number in range(self.partitions) for game in self.list_stubs(number)]

    # The archive

    def list_stubs(self, number: int) -> Sequence[str]:
        """Return the archived games of a partition. Raises Unavailable."""
        with translate_redis_errors():
            found: Any = self._redis.hkeys(self.layout.stubs_key(number))
        return [name.decode() for name in found]

    def announce(self, game: str) -> None:
        """Tell the followers of the feed to read a game again. Raises Unavailable."""
        version, _ = self.head(game)
        with translate_redis_errors():
            self._redis.xadd(
                self.layout.feed_key(self.layout.partition(game)),
                {"g": game, "v": version},
                maxlen=self._longest_feed,
                approximate=True,
            )
            self._redis.publish(BELL, f"{game}|{version}")

    def is_archived(self, game: str) -> bool:
        """Return whether a game is in the archive and not in Redis. Raises Unavailable."""
        return self._find_stub(game) is not None

    def read_beside(self, game: str) -> Beside:
        """Return what Redis has beside the log of a game. Raises Unavailable."""
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as together:
            together.hgetall(self.layout.game_key("vault", game))
            together.hgetall(self.layout.game_key("requests", game))
            vault, requests = together.execute()
        return Beside(_decode_hash(vault), _decode_hash(requests))

    def move_to_archive(self, game: str, at: Stub, archived: Stub, beside: Beside) -> bool:
        """Drop a game that the archive has, and leave a stub; False if the game has changed meanwhile.

        `at` is the log that Redis has, `archived` the one in the archive, which may be longer. `beside` is
        what was read from Redis and is in the archive now. Raises Unavailable.
        """
        stream, requests, vault, _, stubs = self._keys(game)
        arguments = (
            game,
            at.version,
            bytes.fromhex(at.head),
            at.head,
            encode_stub(archived),
            len(beside.requests),
            len(beside.vault),
        )
        return not MOVE_TO_ARCHIVE.run(self._redis, (stream, requests, vault, stubs), arguments)

    def add_stub(self, game: str, archived: Stub) -> None:
        """Record that a game is in the archive which Redis does not know. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.hsetnx(self._stubs_key(game), game, encode_stub(archived))

    def read_derived(self, games: Sequence[str]) -> Mapping[str, Mapping[str, Raw]]:
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for game in games:
                batch.hget(self._stubs_key(game), game)
            stubs = batch.execute()
        return {
            game: self._read_private(game, decode_stub(stub)).derived
            for game, stub in zip(games, stubs, strict=True)
            if stub
        }

    def _stubs_key(self, game: str) -> str:
        return self.layout.stubs_key(self.layout.partition(game))

    def _find_stub(self, game: str) -> Stub | None:
        with translate_redis_errors():
            stored: Any = self._redis.hget(self._stubs_key(game), game)
        return decode_stub(stored) if stored else None

    def _require_archive(self) -> Archive:
        if self._archive is None:
            raise Unavailable("the game is in an archive that this process does not know", cause="archive")
        return self._archive

    def _read_private(self, game: str, stub: Stub) -> PrivatePart:
        return self._require_archive().read_private(game, stub)

    def _read_archived(self, game: str, after: int, limit: int | None) -> Sequence[bytes]:
        """Return the JSON of an archived game's commits after a version; none of another game."""
        stub = self._find_stub(game)
        if stub is None:
            return ()
        return self._require_archive().read_log(game, stub)[after : None if limit is None else after + limit]

    def _refuse_repeat(self, game: str, commit: Commit) -> None:
        """Raise Repeated or KeyReused if the key of the commit is one of an archived game."""
        version = self.find_request(game, commit.key, commit.request) if commit.key else None
        if version is not None:
            raise Repeated(version)

    def _restore_for(self, game: str, commit: Commit) -> None:
        """Put an archived game back that the commit follows. Raises Conflict, KeyReused or Repeated."""
        self._refuse_repeat(game, commit)
        stub = self._find_stub(game)
        if stub is None:
            return
        if (stub.version, stub.head) != (commit.version - 1, commit.prev):
            raise Conflict(f"{game} is in the archive at version {stub.version}")
        self._restore(game, stub)

    def _restore(self, game: str, stub: Stub) -> None:
        """Put an archived game back into Redis, unless another process does. Its objects stay."""
        stored = self._read_whole_archived(game)
        if stored is None:
            return
        arguments: list[str | bytes | int] = [
            game,
            stub.version,
            encode_stub(stub),
            self._longest_feed,
            BELL,
            len(stored.requests),
            len(stored.vault),
        ]
        for name, value in (*stored.requests.items(), *stored.vault.items()):
            arguments += (name, value)
        for entry in stored.entries:
            arguments += (entry.hash, entry.entry)
        RETURN_FROM_ARCHIVE.run(self._redis, self._keys(game), arguments)


def _unpack_entries(entries: Sequence[Any], after: int) -> Iterator[bytes]:
    """Yield the JSON of the commits behind `after`, from entries that begin with the one at `after`."""
    prev = GENESIS
    for position, (_, entry, _, stored_hash) in entries:
        hash = _read_hash(stored_hash)
        if _version_of(position) > after:
            yield unpack(entry, prev, hash)
        prev = hash


def _match_request(known: str, key: str, request: str) -> int:
    """Return the version of a stored request. Raises KeyReused if it is another one."""
    version, _, known_request = known.partition(":")
    if known_request != request:
        raise KeyReused(key)
    return int(version)


def _decode_hash(stored: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in stored.items()}


def _version_of(position: bytes) -> int:
    return int(position.partition(b"-")[0])


def _read_hash(stored: bytes) -> str:
    """Return a stored hash in hex; in entries of 0.2 and before it is stored so."""
    return stored.hex() if len(stored) == HASH_BYTES else stored.decode()


@lru_cache(maxsize=1_000)
def _list_keys(partitions: int, game: str) -> tuple[str, ...]:
    """The KEYS of both scripts. Cached, because hashing the game's name takes longer than the rest."""
    layout = LAYOUTS[partitions]
    number = layout.partition(game)
    return (
        layout.game_key("game", game),
        layout.game_key("requests", game),
        layout.game_key("vault", game),
        layout.feed_key(number),
        layout.stubs_key(number),
    )


def _feed_entry(position: bytes, fields: Mapping[bytes, bytes]) -> FeedEntry:
    return FeedEntry(position.decode(), fields[b"g"].decode(), int(fields[b"v"]))
