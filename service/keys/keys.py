"""API keys: a key stands for a server with many users, and is counted in place of an address.

Keys are made, listed, rotated and revoked by `croupier keys`, never over HTTP. Unlike lists and queues they
are not derived from the log.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hmac import compare_digest
from time import monotonic
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from redis import Redis

from events.durability import send_durably
from events.recently_used import RecentlyUsed
from events.redis import translate_redis_errors
from service.config import QUOTAS, RATES, LimitSettings, read_limit
from service.games.tokens import hash_token
from service.timestamps import stamp

Scope = Literal["play", "players", "webhooks", "export"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
KEY_ID = re.compile(r"k_[A-Za-z0-9]{12}")
_KEY = re.compile(r"key_([A-Za-z0-9]{12})_[A-Za-z0-9_-]{43}")
_PREFIX = "key_"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
RECORDS = "croupier:{keys}:records"
LAST_USES = "croupier:{keys}:last-uses"
# What a process knows of a key is read again after so many seconds: then a revoked key has ended everywhere.
FRESH_SECONDS = 1.0
# The time of the last use is written this often at most.
USE_SECONDS = 60.0
MOST_CACHED = 1_000
# A server has many users: these are the limits of a key that has none of its own.
KEY_LIMITS = LimitSettings(
    playing="50000 per 10 seconds",
    reading="100000 per 10 seconds",
    reviewing="1000 per 10 seconds; 3000 per minute",
    streaming="50000 per 10 seconds",
    sitting="12000 per minute",
    creating="12000 per minute",
    archiving="100 per minute",
    importing="200 per minute; 5000 per day",
    thinking="3000 per minute",
    open_games=20_000,
    daily_games=100_000,
    open_streams=3_000,
)

# All requests with a key are counted for the key, so that it has no limit for one token.
KEY_LIMIT_NAMES = tuple(name for name in (*RATES, *QUOTAS) if name != "token")


class KeyRecord(Struct, frozen=True, omit_defaults=True):
    """An API key as it is stored: hashes of what opens it, and until when.

    `former_hash` is that of the key before the last rotation, good until `former_expires`. `limits` are
    numbers of its own, by their names in `LimitSettings`.
    """

    id: str
    name: str
    scopes: tuple[Scope, ...]
    hash: str
    created: datetime
    expires: datetime | None = None
    former_hash: str = ""
    former_expires: datetime | None = None
    limits: Mapping[str, str] = {}


class ApiKey(Struct, frozen=True):
    """A valid key of a request: who it is, what it may do, and how much of it."""

    id: str
    name: str
    scopes: tuple[Scope, ...]
    limits: LimitSettings


class CachedKey(Struct, frozen=True):
    """A key as a process has read it, and when."""

    record: KeyRecord
    key: ApiKey
    read_at: float


class NewKey(Struct, frozen=True):
    """A record, and the key itself, which is shown this once."""

    record: KeyRecord
    key: str


class KeyNameTaken(Exception):
    """Says that there is a key with this name; the argument is the name."""


class UnknownKey(Exception):
    """Says that there is no key with this name; the argument is the name."""


def looks_like_key(token: str) -> bool:
    """Return whether a token is meant as an API key; it may still be a mistyped one."""
    return token.startswith(_PREFIX)


def read_key_limits(given: Mapping[str, str]) -> LimitSettings:
    """Return the limits of a key with these numbers of its own. Raises ValueError with a message."""
    for name in given:
        if name not in KEY_LIMIT_NAMES:
            raise ValueError(f"unknown limit {name!r}; there are {', '.join(KEY_LIMIT_NAMES)}")
    own = {name: read_limit(name, text, name) for name, text in given.items()}
    return replace(KEY_LIMITS, **own)


class ApiKeys:
    """Finds, makes, rotates and revokes keys. Each method raises Unavailable."""

    def __init__(
        self,
        client: Redis,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        timer: Callable[[], float] = monotonic,
    ) -> None:
        """Use the records in that client's Redis; `clock` tells whether a key has expired."""
        self._redis: Any = client
        self._clock = clock
        self._timer = timer
        self._cached: RecentlyUsed[CachedKey] = RecentlyUsed(MOST_CACHED)
        self._used: RecentlyUsed[float] = RecentlyUsed(MOST_CACHED)

    def find(self, token: str) -> ApiKey | None:
        """Return the key that this token is; None if it is unknown, expired or revoked."""
        form = _KEY.fullmatch(token)
        if form is None:
            return None
        key_id = f"k_{form[1]}"
        credential = hash_token(token)
        known = self._find_recent(key_id)
        if known is None or not _opens(known.record, credential, self._clock()):
            # It may have been rotated a moment ago.
            known = self._read(key_id)
        if known is None or not _opens(known.record, credential, self._clock()):
            return None
        self._record_use(key_id)
        return known.key

    def is_there(self, key_id: str) -> bool:
        """Return whether the key with this id is neither revoked nor expired."""
        known = self._find_recent(key_id) or self._read(key_id)
        expires = known.record.expires if known else None
        return known is not None and (expires is None or self._clock() < expires)

    def count_streams(self, who: str) -> int | None:
        """Return how many streams a key may have open; None for a caller that is no key."""
        known = self._cached.find(who)
        return known.key.limits.open_streams if known else None

    def _find_recent(self, key_id: str) -> CachedKey | None:
        """Return a key from the cache; None if it is not there, or was read too long ago."""
        known = self._cached.find(key_id)
        return known if known is not None and self._timer() - known.read_at < FRESH_SECONDS else None

    def _read(self, key_id: str) -> CachedKey | None:
        """Return a key as it is stored now, and cache it; None if there is none."""
        with translate_redis_errors():
            found: bytes | None = self._redis.hget(RECORDS, key_id)
        if not found:
            # Ids that do not exist must not push those that do out of the cache.
            self._cached.drop(key_id)
            return None
        record = msgspec.json.decode(found, type=KeyRecord)
        key = ApiKey(record.id, record.name, record.scopes, read_key_limits(record.limits))
        known = CachedKey(record, key, self._timer())
        self._cached.keep(key_id, known)
        return known

    def _record_use(self, key_id: str) -> None:
        """Write the time of the last use, now and then."""
        now = self._timer()
        last = self._used.find(key_id)
        if last is None or now - last >= USE_SECONDS:
            self._used.keep(key_id, now)
            with translate_redis_errors():
                self._redis.hset(LAST_USES, key_id, stamp(self._clock()))

    def create(
        self,
        name: str,
        scopes: Sequence[Scope],
        expires_after: timedelta | None = None,
        limits: Mapping[str, str] | None = None,
    ) -> NewKey:
        """Make a key. Raises KeyNameTaken."""
        if any(record.name == name for record in self.list()):
            raise KeyNameTaken(name)
        key_id = "k_" + "".join(secrets.choice(_LETTERS) for _ in range(12))
        key = _draw_key(key_id)
        now = self._clock()
        record = KeyRecord(
            id=key_id,
            name=name,
            scopes=tuple(scope for scope in SCOPES if scope in scopes),
            hash=hash_token(key),
            created=now,
            expires=now + expires_after if expires_after else None,
            limits=dict(limits or {}),
        )
        self.store(record)
        return NewKey(record, key)

    def rotate(self, name: str, grace: timedelta) -> NewKey:
        """Replace what opens a key; the former one is good for `grace` more. Raises UnknownKey."""
        record = self._find_named(name)
        key = _draw_key(record.id)
        rotated = replace(
            record,
            hash=hash_token(key),
            former_hash=record.hash if grace else "",
            former_expires=self._clock() + grace if grace else None,
        )
        self.store(rotated)
        return NewKey(rotated, key)

    def revoke(self, name: str) -> str:
        """End a key for ever and return its id. Its players and games stay. Raises UnknownKey."""
        record = self._find_named(name)
        with translate_redis_errors():
            send_durably(self._redis, RECORDS, "HDEL", RECORDS, record.id)
            self._redis.hdel(LAST_USES, record.id)
        self._cached.drop(record.id)
        return record.id

    def list(self) -> Sequence[KeyRecord]:
        """Return all keys, oldest first."""
        with translate_redis_errors():
            found = self._redis.hgetall(RECORDS)
        records = [msgspec.json.decode(record, type=KeyRecord) for record in found.values()]
        return sorted(records, key=lambda record: (record.created, record.id))

    def last_uses(self) -> Mapping[str, str]:
        """Return when each key was last used, by its id."""
        with translate_redis_errors():
            found = self._redis.hgetall(LAST_USES)
        return {key_id.decode(): at.decode() for key_id, at in found.items()}

    def store(self, record: KeyRecord) -> None:
        """Write a record, as it was made or as a backup has it."""
        with translate_redis_errors():
            send_durably(self._redis, RECORDS, "HSET", RECORDS, record.id, msgspec.json.encode(record))
        self._cached.drop(record.id)

    def _find_named(self, name: str) -> KeyRecord:
        """Return the record with this name. Raises UnknownKey."""
        for record in self.list():
            if record.name == name:
                return record
        raise UnknownKey(name)


def _draw_key(key_id: str) -> str:
    """Return a new random key of this id."""
    return f"{_PREFIX}{key_id.removeprefix('k_')}_{secrets.token_urlsafe(32)}"


def _opens(record: KeyRecord, credential: str, now: datetime) -> bool:
    """Return whether a key with this hash opens the record now. Compares in constant time."""
    is_current = compare_digest(credential, record.hash)
    is_former = compare_digest(credential, record.former_hash)
    if record.expires is not None and now >= record.expires:
        return False
    return is_current or (is_former and record.former_expires is not None and now < record.former_expires)
