"""The service over HTTP, wherever it is; the client and the player are those of `croupier load`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPException
from typing import Any

from service.load.http_client import Call, HttpClient, HttpPlayer, Promise, Refused, Reply, SeatedGame
from tests.support.waiting import wait_until

__all__ = ["Call", "HttpClient", "HttpPlayer", "HttpService", "Promise", "Refused", "Reply", "SeatedGame"]


class HttpService:
    """Where the service is; one that is started again may be elsewhere."""

    def __init__(self, base: str) -> None:
        self.base = base

    def call(
        self,
        method: str,
        address: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """On a connection of its own, so that any of the server's processes may answer."""
        with closing(HttpClient(self.base)) as client:
            return client.call(method, address, body, token, {"Connection": "close", **(headers or {})})

    def insist(self, *request: Any, **more: Any) -> Any:
        """The same request until there is an answer; only a lost one and a 503 are reasons to repeat it."""
        replies: list[Reply] = []

        def is_answered() -> bool:
            try:
                reply = self.call(*request, **more)
            except (OSError, HTTPException):
                return False
            replies.append(reply)
            return reply.status != 503

        wait_until(is_answered, f"an answer to {request[:2]}")
        assert replies[-1].status in (200, 201), replies[-1]
        return replies[-1].json
