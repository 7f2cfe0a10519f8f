"""Tells a repeated request from a new one by its idempotency key, and finds its first result."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from hmac import digest
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.commands import Choose
from events.commit import Commit
from events.durability import send_durably
from events.redis import translate_redis_errors
from events.secrecy import Secret
from events.store import KeyReused, Store
from events.text import Text
from rules import Rejected
from rules.errors import Reason
from service.games.snapshots import Outdated

# A choice that is refused for one of these reasons may be a repeat of an earlier answer.
SETTLED = frozenset({Reason.STALE_ASK, Reason.ALREADY_ANSWERED, Reason.GAME_OVER})
# What callers are told who send a key again with another request.
KEY_REUSED = Text("This `Idempotency-Key` was already used for another request; use a new one.")
# Most repeats follow soon: so many of the newest commits are searched first, then four times as many.
FIRST_PAGE = 32
_encoder = msgspec.json.Encoder(order="sorted")


class KeyedRequest(Struct, frozen=True):
    """Holds a request, as far as a repeat is recognised by it.

    `key` is the Idempotency-Key, `stored_key` its hash, which is stored, `fingerprint` a hash of the rest.
    """

    key: str | None
    stored_key: str
    fingerprint: str


def identify_request(scope: str, key: str | None, body: Any) -> KeyedRequest:
    """Return what identifies a request. A key counts within its scope.

    Without a key a random one is used, so that an append whose reply was lost can be tried again.
    """
    stored = secrets.token_hex(12) if key is None else _hash(scope, key)[:32]
    return KeyedRequest(key, stored, sha256(_encoder.encode((scope, body))).hexdigest())


def find_request(store: Store, game: str, request: KeyedRequest) -> int | None:
    """Return the version that an earlier request with this key made, if any. Raises KeyReused."""
    if request.key is None:
        return None
    return store.find_request(game, request.stored_key, request.fingerprint)


def find_earlier_answer(
    store: Store, game: str, request: KeyedRequest, answer: Choose, refusal: Rejected | Outdated
) -> int:
    """Return the version that took the same answer before. Raises the refusal that fits if none did."""
    settled = isinstance(refusal, Outdated) or refusal.reason in SETTLED
    commit = _find_answer(store, game, answer) if settled else None
    if commit is None:
        raise refusal
    if not _is_same(commit, answer):
        raise _other_choice(answer) if isinstance(refusal, Rejected) else refusal
    store.confirm(game, commit.version, commit.hash)
    # A game that is over takes no new keys: those it had are dropped after a while.
    if request.key is not None and not _is_over(refusal):
        store.remember_request(game, request.stored_key, request.fingerprint, commit.version)
    return commit.version


def _is_over(refusal: Rejected | Outdated) -> bool:
    """Return whether a request was refused because the game is over."""
    return isinstance(refusal, Rejected) and refusal.reason == Reason.GAME_OVER


def _find_answer(store: Store, game: str, answer: Choose) -> Commit | None:
    """Return the commit with an answer of this seat to this ask, searched from the newest back."""
    end = store.head(game)[0]
    size = FIRST_PAGE
    while end > 0:
        start = max(0, end - size)
        for commit in reversed(store.read(game, start, end - start)):
            given = commit.command
            if isinstance(given, Choose) and (given.ask, given.seat) == (answer.ask, answer.seat):
                return commit
        end = start
        size = size * 4
    return None


def _is_same(commit: Commit, answer: Choose) -> bool:
    """Return whether a commit holds the same choice as this answer."""
    given = commit.command
    if not isinstance(given, Choose):
        return False
    return answer.choice == (given.choice.contents if isinstance(given.choice, Secret) else given.choice)


def _other_choice(answer: Choose) -> Rejected:
    """Return the refusal for a seat that has answered this ask with another choice."""
    return Rejected(
        Reason.ALREADY_ANSWERED, Text("you already answered ask {ask} with another choice", ask=answer.ask)
    )


def _hash(scope: str, key: str) -> str:
    """Return the hash under which a key is stored within its scope."""
    return sha256(f"{scope}|{key}".encode()).hexdigest()


def scope_of_answer(seat: int, by: str) -> str:
    """Return the scope of a key for an answer of the seat, or for one that clock or bot give for it.

    They have keys of their own: no person can take those in advance and stop them.
    """
    return f"{by} for {seat}" if by else f"seat-{seat}"


ANONYMOUS = ""
LEAST_LENGTH = 32
# One character ten times in a row, or one piece again and again. No UUID is so by chance.
_MONOTONOUS = re.compile(r".*(.)\1{9}.*|(.{1,16})\2+.{0,15}")


class WeakKey(Exception):
    """Says that a key is easy to guess: a guess of the key would give the reply, with the tokens."""


def scope_of(request: str, sender: str) -> str:
    """Return the scope of a key: the same key of two senders means two requests."""
    return request if sender == ANONYMOUS else f"{request} by {sender}"


def is_weak(sender: str, key: str | None) -> bool:
    """Say whether a key is too easy to guess. Keys of senders with a token are never weak."""
    if key is None or sender != ANONYMOUS:
        return False
    return len(key) < LEAST_LENGTH or _MONOTONOUS.fullmatch(key) is not None


def draw_game_id() -> str:
    """Return a random game id."""
    return name_game(secrets.token_bytes(32))


def derive_game_id(secret: bytes, sender: str, key: str) -> str:
    """Derive the id from the key, so that a repeated creation finds its game. The secret hides the key."""
    return name_game(digest(secret, f"{scope_of('game', sender)}|{key}".encode(), "sha256"))


def name_game(drawn: bytes) -> str:
    """Return the game id that is made of these bytes."""
    return "g_" + urlsafe_b64encode(drawn).decode()[:22]


class StoredResults:
    """Stores the results of requests that change no game: tickets and imports.

    Each lives as long as it can be repeated. A choice, a seat or a creation needs none: the log and the
    requests beside it say what came of them. Each method raises KeyReused and Unavailable. The result of a
    request without a key is not stored.
    """

    def __init__(self, client: Redis) -> None:
        """Store results in that client's Redis."""
        self._redis: Any = client

    def find(self, request: KeyedRequest) -> str | None:
        """Return the stored result of an earlier request with this key; None if there is none."""
        if request.key is None:
            return None
        with translate_redis_errors():
            stored = self._redis.get(_result_key(request))
        if stored is None:
            return None
        fingerprint, _, result = stored.decode().partition("|")
        if fingerprint != request.fingerprint:
            raise KeyReused(request.key)
        return str(result)

    def store(self, request: KeyedRequest, result: str, seconds: int) -> str:
        """Store a result and return the one that counts: of two at once the first."""
        if request.key is None:
            return result
        record = f"{request.fingerprint}|{result}"
        key = _result_key(request)
        with translate_redis_errors():
            is_first = send_durably(self._redis, key, "SET", key, record, "NX", "EX", seconds)
        if is_first:
            return result
        return self.find(request) or result

    def read_all(self) -> Iterator[StoredResult]:
        """Yield every result, to be copied to another Redis."""
        with translate_redis_errors():
            for key in self._redis.scan_iter(_RESULTS + "*", count=1000):
                result = self._redis.get(key)
                left = self._redis.pttl(key)
                if result is not None and left > 0:
                    yield StoredResult(key.decode().removeprefix(_RESULTS), result.decode(), left)

    def restore(self, result: StoredResult) -> bool:
        """Store a result of another Redis; return False if there is one already."""
        key = _RESULTS + result.stored_key
        with translate_redis_errors():
            return bool(self._redis.set(key, result.record, nx=True, px=result.milliseconds_left))


_RESULTS = "croupier:request:"


class StoredResult(Struct, frozen=True):
    """A result as it is stored, and for how long."""

    stored_key: str
    record: str
    milliseconds_left: int


def _result_key(request: KeyedRequest) -> str:
    """Return the Redis key of a result."""
    return _RESULTS + request.stored_key
