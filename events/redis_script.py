"""Scripts that the server runs as one command."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files

from redis import Redis
from redis.exceptions import NoScriptError

from events.redis_client import translate_redis_errors
from events.redis_pool import send


class Script:
    """One of this package, which the server knows by its hash once it has seen it."""

    def __init__(self, name: str) -> None:
        self._text = files("events").joinpath(name).read_bytes()
        self._sha = sha1(self._text, usedforsecurity=False).hexdigest()

    def run(self, client: Redis, keys: Sequence[str], arguments: Sequence[str | bytes | int]) -> int:
        """Raises Unavailable."""
        with translate_redis_errors():
            try:
                return int(send(client, "EVALSHA", self._sha, len(keys), *keys, *arguments))
            except NoScriptError:
                return int(send(client, "EVAL", self._text, len(keys), *keys, *arguments))
