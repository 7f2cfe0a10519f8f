"""Who plays over HTTP for the bench."""

from __future__ import annotations

from http.client import HTTPConnection
from typing import Any

import msgspec


class Caller:
    """One connection that stays open."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=20)

    def get(self, address: str, token: str | None = None) -> Any:
        return self._answer("GET", address, None, token)

    def post(self, address: str, body: object, token: str | None = None) -> Any:
        return self._answer("POST", address, msgspec.json.encode(body), token)

    def _answer(self, method: str, address: str, body: bytes | None, token: str | None) -> Any:
        headers = {"Content-Type": "application/json"} if body else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        self._connection.request(method, address, body, headers)
        reply = self._connection.getresponse()
        content = reply.read()
        if reply.status >= 300:
            raise RuntimeError(f"{reply.status}: {content!r}")
        return msgspec.json.decode(content)
