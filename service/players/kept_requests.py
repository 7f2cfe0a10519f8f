"""What became of requests that belong to no game, so that whoever repeats one gets the same reply."""

from __future__ import annotations

from typing import Any

from redis import Redis

from events.redis_client import translate_redis_errors
from events.store import KeyReused
from service.play.idempotency import Request


class KeptRequests:
    """Each raises KeyReused, and Unavailable. A request without a key is not kept."""

    def __init__(self, client: Redis) -> None:
        self._redis: Any = client

    def find(self, request: Request) -> str | None:
        if request.key is None:
            return None
        with translate_redis_errors():
            kept = self._redis.get(_place(request))
        return None if kept is None else _read(kept, request)

    def keep(self, request: Request, told: str, seconds: int) -> str:
        """What is kept from now on: of two at once, what the first one told."""
        if request.key is None:
            return told
        with translate_redis_errors():
            entry = f"{request.fingerprint}|{told}"
            if self._redis.set(_place(request), entry, nx=True, ex=seconds):
                return told
        return self.find(request) or told


def _place(request: Request) -> str:
    return f"croupier:request:{request.stored_key}"


def _read(kept: bytes, request: Request) -> str:
    fingerprint, _, told = kept.decode().partition("|")
    if fingerprint != request.fingerprint:
        raise KeyReused(request.key)
    return told
