"""The keys with which this service signs finished games: private ones in a file, public ones in Redis.

A private key never leaves its file, which only its owner can read. Several machines may have files of their
own; every public key that has signed a game is published.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.durability import send_durably
from events.redis import translate_redis_errors
from events.values import Moment
from service.config import Misconfigured
from service.fairness.signatures import PublicKeys, name_key, public_of, sign_head
from service.timestamps import stamp

ALGORITHM = "Ed25519"
PUBLIC_KEYS = "croupier:{keys}:signing"


class PrivateKey(Struct, frozen=True):
    """The contents of the file: a private key of 32 bytes, in hex, and when it was made."""

    private: str
    created: str


class PublicKey(Struct, frozen=True):
    """A public key of 32 bytes, in hex. `retired` is when another one took its place; it may still verify."""

    id: str
    algorithm: str
    public: str
    created: Moment
    retired: Moment | None = None


class SigningKeys:
    """Signs heads with the key in a file; without a file nothing is signed."""

    def __init__(
        self,
        client: Redis,
        path: Path | None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Publish keys in that client's Redis."""
        self._redis: Any = client
        self._path = path
        self._clock = clock
        self._known: tuple[float, PrivateKey] | None = None
        self._published: set[str] = set()

    def sign(self, head: str) -> str:
        """Return the signature of a game's final head as it is stored; empty if there is no key.

        Publishes the key before its first use. Raises Unavailable.
        """
        key = self._read()
        if key is None:
            return ""
        private = bytes.fromhex(key.private)
        self.publish(key)
        return sign_head(private, head).stored

    def _read(self) -> PrivateKey | None:
        """Return the key in the file, read again when the file has changed; None if there is none."""
        if self._path is None:
            return None
        try:
            changed_at = self._path.stat().st_mtime
        except (FileNotFoundError, NotADirectoryError):
            return None
        if self._known is None or self._known[0] != changed_at:
            self._known = changed_at, read_key_file(self._path)
        return self._known[1]

    def publish(self, key: PrivateKey) -> None:
        """Publish the public part of a key, once. Raises Unavailable."""
        public = public_of(bytes.fromhex(key.private))
        key_id = name_key(public)
        if key_id in self._published:
            return
        told = PublicKey(key_id, ALGORITHM, public.hex(), key.created)
        with translate_redis_errors():
            send_durably(self._redis, PUBLIC_KEYS, "HSETNX", PUBLIC_KEYS, key_id, msgspec.json.encode(told))
        self._published.add(key_id)

    def list(self) -> Sequence[PublicKey]:
        """Return all keys that games may be signed with, oldest first. Raises Unavailable."""
        with translate_redis_errors():
            found = self._redis.hgetall(PUBLIC_KEYS)
        keys = [msgspec.json.decode(key, type=PublicKey) for key in found.values()]
        return sorted(keys, key=lambda key: (key.created, key.id))

    def read_all(self) -> PublicKeys:
        """Return all public keys, in hex by their ids. Raises Unavailable."""
        return {key.id: key.public for key in self.list()}

    def store(self, key: PublicKey) -> None:
        """Write a public key, as a backup has it. Raises Unavailable."""
        with translate_redis_errors():
            send_durably(self._redis, PUBLIC_KEYS, "HSET", PUBLIC_KEYS, key.id, msgspec.json.encode(key))

    def rotate(self) -> PublicKey:
        """Replace the key in the file; the former one stays published as retired.

        Raises Misconfigured without a file, and Unavailable.
        """
        if self._path is None:
            raise Misconfigured("there is no file for signing keys")
        former = self._read()
        key = draw_key(self._clock())
        _write(self._path, key)
        self.publish(key)
        if former is not None:
            self._retire(former)
        public = public_of(bytes.fromhex(key.private))
        return PublicKey(name_key(public), ALGORITHM, public.hex(), key.created)

    def _retire(self, former: PrivateKey) -> None:
        """Publish a former key as retired; one that was never used is not published."""
        key_id = name_key(public_of(bytes.fromhex(former.private)))
        for key in self.list():
            if key.id == key_id:
                self.store(msgspec.structs.replace(key, retired=stamp(self._clock())))

    def revoke(self, key_id: str) -> bool:
        """Publish a key no more, because others may have its private part; return whether it was published.

        Raises Unavailable.
        """
        with translate_redis_errors():
            return bool(send_durably(self._redis, PUBLIC_KEYS, "HDEL", PUBLIC_KEYS, key_id))


def draw_key(now: datetime) -> PrivateKey:
    """Return a new random key."""
    return PrivateKey(secrets.token_bytes(32).hex(), stamp(now))


def ensure_key_file(path: Path) -> None:
    """Write a file with a new key if there is none. Of two processes that do so at once, one wins."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = _write_beside(path, draw_key(datetime.now(UTC)))
    try:
        os.link(drawn, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(drawn)


def read_key_file(path: Path) -> PrivateKey:
    """Return the key in a file. Raises Misconfigured."""
    try:
        key = msgspec.json.decode(path.read_bytes(), type=PrivateKey)
        public_of(bytes.fromhex(key.private))
    except (OSError, ValueError, msgspec.DecodeError) as fault:
        # The message does not repeat what stands there.
        raise Misconfigured(f"{path} is not a file of a signing key; restore it, or remove it") from fault
    return key


def _write(path: Path, key: PrivateKey) -> None:
    """Put a key into the file, at once."""
    os.replace(_write_beside(path, key), path)


def _write_beside(path: Path, key: PrivateKey) -> Path:
    """Write a key to a new file beside the path, which only its owner can read, and return its place."""
    place = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(key)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return place
