"""Who made a game, so far as fairness needs to know: a keyed hash of where the request came from."""

from __future__ import annotations

import secrets
from hmac import digest
from typing import Any

from redis import Redis

from events.redis import translate_redis_errors

# The vault's field; games from before have none.
CREATOR_FIELD = "creator"
_KEY = "croupier:{lanes}:key"
_LENGTH = 16


class Creators:
    """One key for all processes, made by the first; without it nobody can tell an address from a hash."""

    def __init__(self, client: Redis) -> None:
        self._redis: Any = client
        self._key = b""

    def identify(self, network: str) -> str:
        """Raises Unavailable."""
        self._key = self._key or self._read_key()
        return digest(self._key, network.encode(), "sha256").hex()[:_LENGTH]

    def _read_key(self) -> bytes:
        with translate_redis_errors():
            self._redis.set(_KEY, secrets.token_bytes(32), nx=True)
            key: bytes = self._redis.get(_KEY)
        return key
