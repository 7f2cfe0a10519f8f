"""Stores commits in Redis: one stream per game, one Lua script per append."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha1
from importlib.resources import files
from secrets import token_bytes
from typing import Any, Final, TypeVar

from msgspec import Struct
from redis import Redis
from redis.exceptions import NoScriptError

from events.chain import GENESIS
from events.commit import Commit, decode
from events.packing import pack, unpack
from events.redis import send, translate_redis_errors
from events.store import (
    MOST_KEYS,
    PARTITIONS,
    SECRET_BYTES,
    Conflict,
    FeedEntry,
    KeyReused,
    Repeated,
    Trimmed,
    Unavailable,
    partition,
)

T = TypeVar("T")


class Script:
    """A Lua script of this package; the server caches it and runs it by its hash."""

    def __init__(self, name: str) -> None:
        self._text = files("events").joinpath(name).read_bytes()
        self._sha = sha1(self._text, usedforsecurity=False).hexdigest()

    def run(self, client: Redis, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> int:
        """Run the script and return its reply. Raises Unavailable."""
        with translate_redis_errors():
            try:
                return int(send(client, "EVALSHA", self._sha, len(keys), *keys, *arguments))
            except NoScriptError:
                return int(send(client, "EVAL", self._text, len(keys), *keys, *arguments))


BELL = "croupier:bell"
LONGEST_FEED = 5_000
HASH_BYTES = 32
# How many entries of a log are read at a time: a few milliseconds, and more than most games have.
PAGE = 500
# How often a log is read again that is replaced while it is read.
MOST_READINGS = 3
_GAMES = "croupier:{*}:game:*"
_SECRET = "croupier:{secret}:ids"
APPEND = Script("append.lua")
CREATE_WITH_HISTORY = Script("create_with_history.lua")
RESTORE = Script("restore.lua")
# What the scripts reply where they wrote nothing.
_CONFLICT = -1
_KEY_REUSED = -2


def game_key(kind: str, game: str) -> str:
    return f"croupier:{{{partition(game):02d}}}:{kind}:{game}"


def feed_key(number: int) -> str:
    return f"croupier:{{{number:02d}}}:feed"


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


class RedisStore:
    """A store in Redis.

    The client must neither decode replies nor retry commands: see `events.redis.connect`.
    """

    partitions: Final = PARTITIONS

    def __init__(self, client: Redis, longest_feed: int = LONGEST_FEED) -> None:
        self._redis = client
        self._longest_feed = longest_feed

    def append(self, game: str, commit: Commit, vault: Mapping[str, str] | None = None) -> None:
        arguments = self._append_arguments(game, commit, vault or {})
        result = APPEND.run(self._redis, _keys(game), arguments)
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
        result = CREATE_WITH_HISTORY.run(self._redis, _keys(game), arguments)
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
                game_key("game", game),
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
                    at_once.xrange(game_key("game", game), start, "+", PAGE + bool(last))
                    at_once.hgetall(game_key("vault", game))
                    at_once.hgetall(game_key("requests", game))
                    found, vault, requests = at_once.execute()
                read = [StoredEntry(_version_of(at), fields[b"h"], fields[b"e"]) for at, fields in found]
                if last and read[:1] != [last]:
                    break
                new = read[bool(last) :]
                entries += new
                if not entries:
                    return None
                if len(new) < PAGE:
                    return StoredGame(game, entries, _decode_hash(vault), _decode_hash(requests))
        raise Unavailable(f"{game} was replaced while it was read")

    def read_stored_hash(self, game: str, version: int) -> str | None:
        """Return the hash of a version; None where the log does not have that version."""
        with translate_redis_errors():
            found: Any = self._redis.xrange(game_key("game", game), f"{version}-0", f"{version}-0")
        return _read_hash(found[0][1][b"h"]) if found else None

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
            if entry.version > after:
                arguments += (entry.version, entry.hash, entry.entry)
        if RESTORE.run(self._redis, _keys(stored.game), arguments) == _CONFLICT:
            raise Conflict(f"{stored.game} is not at version {after} with that head")

    def head(self, game: str) -> tuple[int, str]:
        with translate_redis_errors():
            newest: Any = self._redis.xrevrange(game_key("game", game), count=1)
        for position, fields in newest:
            return _version_of(position), _read_hash(fields[b"h"])
        return 0, GENESIS

    def vault(self, game: str) -> Mapping[str, str]:
        with translate_redis_errors():
            secrets: Any = self._redis.hgetall(game_key("vault", game))
        return _decode_hash(secrets)

    def add_to_vault(self, game: str, secrets: Mapping[str, str]) -> None:
        fields: Mapping[Any, Any] = secrets
        if fields:
            with translate_redis_errors():
                self._redis.hset(game_key("vault", game), mapping=fields)

    def secret(self) -> bytes:
        """Read anew each time: after a restore of the server it may be another."""
        with translate_redis_errors():
            known: Any = self._redis.get(_SECRET)
            if known is None:
                self._redis.set(_SECRET, token_bytes(SECRET_BYTES), nx=True)
                known = self._redis.get(_SECRET)
        return bytes(known)

    def replace_secret(self, secret: bytes) -> None:
        """Set the secret of this store, to that of the store from which its games come."""
        with translate_redis_errors():
            self._redis.set(_SECRET, secret)

    def find_request(self, game: str, key: str, request: str) -> int | None:
        with translate_redis_errors():
            known: Any = self._redis.hget(game_key("requests", game), key)
        if known is None:
            return None
        version, _, known_request = known.decode().partition(":")
        if known_request != request:
            raise KeyReused(key)
        return int(version)

    def remember_request(self, game: str, key: str, request: str, version: int) -> None:
        name = game_key("requests", game)
        with translate_redis_errors():
            stored: Any = self._redis.hvals(name)
            keys_of_version = sum(entry.startswith(b"%d:" % version) for entry in stored)
            added = keys_of_version < MOST_KEYS and self._redis.hsetnx(name, key, f"{version}:{request}")
        if not added:
            self.find_request(game, key, request)

    def forget_private(self, game: str, fields: Sequence[str]) -> None:
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as transaction:
            transaction.delete(game_key("requests", game))
            if fields:
                transaction.hdel(game_key("vault", game), *fields)
            transaction.execute()

    def remove(self, game: str) -> None:
        with translate_redis_errors():
            self._redis.delete(*(game_key(kind, game) for kind in ("game", "vault", "requests")))

    def read_feed(self, partition: int, after: str, limit: int) -> Sequence[FeedEntry]:
        """Read from the entry at `after` on: while it exists, no entry behind it was trimmed."""
        with translate_redis_errors():
            found: Any = self._redis.xrange(feed_key(partition), after or "-", "+", limit + bool(after))
        entries = [_feed_entry(position, fields) for position, fields in found]
        if not after:
            return entries
        if not entries or entries[0].position != after:
            raise Trimmed(f"the feed of partition {partition} has lost {after}")
        return entries[1:]

    def list_recent(self, partition: int, entries: int) -> Sequence[str]:
        with translate_redis_errors():
            found: Any = self._redis.xrevrange(feed_key(partition), count=entries)
        return [fields[b"g"].decode() for _, fields in found if fields[b"g"]]

    def add_bookmark(self, partition: int) -> str:
        """Add an entry without a game, so that the position exists even in an empty feed."""
        with translate_redis_errors():
            position: Any = self._redis.xadd(
                feed_key(partition), {"g": "", "v": 0}, maxlen=self._longest_feed, approximate=True
            )
        return str(position.decode())

    def list_games(self) -> Sequence[str]:
        with translate_redis_errors():
            found = {name.decode() for name in self._redis.scan_iter(_GAMES, count=1000)}
        return [name.split(":", 3)[3] for name in found]

    def find_present(self, games: Sequence[str]) -> set[str]:
        with translate_redis_errors(), self._redis.pipeline(transaction=False) as batch:
            for game in games:
                batch.exists(game_key("game", game))
            return {game for game, present in zip(games, batch.execute(), strict=True) if present}


def _unpack_entries(entries: Sequence[Any], after: int) -> Iterator[bytes]:
    """Yield the JSON of the commits behind `after`, from entries that begin with the one at `after`."""
    prev = GENESIS
    for position, (_, entry, _, stored_hash) in entries:
        hash = _read_hash(stored_hash)
        if _version_of(position) > after:
            yield unpack(entry, prev, hash)
        prev = hash


def _decode_hash(stored: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in stored.items()}


def _version_of(position: bytes) -> int:
    return int(position.partition(b"-")[0])


def _read_hash(stored: bytes) -> str:
    """Return a stored hash in hex; in entries of 0.2 and before it is stored so."""
    return stored.hex() if len(stored) == HASH_BYTES else stored.decode()


@lru_cache(maxsize=1_000)
def _keys(game: str) -> tuple[str, ...]:
    """The KEYS of both scripts. Cached, because hashing the game's name takes longer than the rest."""
    return (
        game_key("game", game),
        game_key("requests", game),
        game_key("vault", game),
        feed_key(partition(game)),
    )


def _feed_entry(position: bytes, fields: Mapping[bytes, bytes]) -> FeedEntry:
    return FeedEntry(position.decode(), fields[b"g"].decode(), int(fields[b"v"]))
