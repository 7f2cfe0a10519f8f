"""Writes that count only when enough replicas have them, by WAIT: what is not derived from the log.

WAIT confirms what its connection wrote last, and lies about a command that wrote nothing: a repeated append
that finds its commit, or a read. So each command is followed by a small write, the bump. All three go over
one connection: a failover between them must not go unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha1
from typing import Any

from redis import Redis
from redis.exceptions import NoScriptError

from events.pool import send, send_batch
from events.redis import translate_redis_errors
from events.store import Unavailable

_TAG = re.compile(r"\{([^}]+)\}")


def count_wanted_replicas(client: Redis) -> int:
    """Return how many replicas must have what is written; 0 where the master alone is enough."""
    return int(getattr(client.connection_pool, "replicas", 0))


def send_durably(client: Redis, key: str, *command: Any) -> Any:
    """Send a command and return its reply once enough replicas have what it wrote or read.

    `key` is one that the command uses. Raises RedisError, and Unavailable with the cause `replicas` if they
    do not confirm it in time: then it may be lost with the master, or not.
    """
    wanted = count_wanted_replicas(client)
    if not wanted:
        return send(client, *command)
    pool: Any = client.connection_pool
    bump = ("SET", bump_key(key), "")
    wait = ("WAIT", wanted, int(pool.confirm_seconds * 1000))
    replies = send_batch(client, command, bump, wait)
    for reply in replies:
        if isinstance(reply, Exception):
            raise reply
    if replies[2] < wanted:
        raise Unavailable(f"{replies[2]} of {wanted} replicas have confirmed it", "replicas")
    return replies[0]


@lru_cache(maxsize=1_000)
def bump_key(key: str) -> str:
    """Return the key that is written after a command, in the slot of the command's own key."""
    tag = _TAG.search(key)
    return f"croupier:{{{tag[1] if tag else key}}}:bump"


class Script:
    """A Lua script that writes what is not derived; the server caches it and runs it by its hash."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._sha = sha1(text, usedforsecurity=False).hexdigest()

    def run(self, client: Redis, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> Any:
        """Run the script and return its reply once enough replicas have what it wrote. Raises Unavailable."""
        with translate_redis_errors():
            try:
                return send_durably(client, keys[0], "EVALSHA", self._sha, len(keys), *keys, *arguments)
            except NoScriptError:
                return send_durably(client, keys[0], "EVAL", self._text, len(keys), *keys, *arguments)
