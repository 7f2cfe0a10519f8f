"""Identifies the creator of a game for the fair queue: a keyed hash of the network of the request."""

from __future__ import annotations

import secrets
from hmac import digest
from typing import Any

from redis import Redis

from events.durability import send_durably
from events.redis import translate_redis_errors

# The field among the secrets of a game; older games have none.
CREATOR_FIELD = "creator"
# The field of the API key whose request created the game, which hears of it; other games have none.
API_KEY_FIELD = "api_key"
_KEY = "croupier:{lanes}:key"
_LENGTH = 16


def describe_creator(creator: str, api_key: str) -> dict[str, str]:
    """Return what the secrets of a game say of its creator."""
    return {CREATOR_FIELD: creator, **({API_KEY_FIELD: api_key} if api_key else {})}


class Creators:
    """Hashes networks with a key that all processes share, so that a hash does not reveal an address."""

    def __init__(self, client: Redis) -> None:
        """Read the key from that client's Redis."""
        self._redis: Any = client
        self._key = b""

    def identify(self, network: str) -> str:
        """Return the hash of a network. Raises Unavailable."""
        self._key = self._key or self.read_key()
        return digest(self._key, network.encode(), "sha256").hex()[:_LENGTH]

    def read_key(self) -> bytes:
        """Return the key that all processes share, creating it if there is none. Raises Unavailable."""
        with translate_redis_errors():
            send_durably(self._redis, _KEY, "SET", _KEY, secrets.token_bytes(32), "NX")
            key: bytes = send_durably(self._redis, _KEY, "GET", _KEY)
        return key

    def replace_key(self, key: bytes) -> None:
        """Set the key, to that of the store from which the games come. Raises Unavailable.

        Processes that run go on with the key that they have read.
        """
        with translate_redis_errors():
            send_durably(self._redis, _KEY, "SET", _KEY, key)
