"""Calls over HTTP: what is sent and what comes back, and nothing of the games."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPMessage
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec

from tests.support.waiting import wait_until


class Refused(Exception):
    """A reply of 4xx or 5xx."""


class Reply(NamedTuple):
    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class HttpClient:
    """One connection that stays open."""

    def __init__(self, base: str) -> None:
        self._connection = HTTPConnection(urlsplit(base).netloc, timeout=60)

    def call(
        self,
        method: str,
        address: str,
        body: Any = None,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        sent = dict(headers or {})
        sent |= {"Content-Type": "application/json"} if body is not None else {}
        sent |= {"Authorization": f"Bearer {token}"} if token is not None else {}
        content = None if body is None else msgspec.json.encode(body)
        self._connection.request(method, address, content, sent)
        reply = self._connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())

    def get(self, address: str, token: str | None = None) -> Any:
        return self._accepted("GET", address, None, token)

    def post(self, address: str, body: Any, token: str | None = None) -> Any:
        return self._accepted("POST", address, body, token)

    def _accepted(self, method: str, address: str, body: Any, token: str | None) -> Any:
        reply = self.call(method, address, body, token)
        if reply.status >= 300:
            raise Refused(f"{method} {address} {body}: {reply.status} {reply.body!r}")
        return reply.json

    def close(self) -> None:
        self._connection.close()


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
