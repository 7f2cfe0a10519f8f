"""Sends requests and repeats them safely: `Transport`.

Every request can be repeated. A GET changes nothing, and everything else carries an Idempotency-Key, so that
the service answers a repeat as it answered the first try.
"""

from __future__ import annotations

import json
import random
import time
import uuid
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

# Where the outcome is unknown or the service asks to come again.
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 5.0
_STREAM = "text/event-stream"
_NO_CONTENT = 204


class Refused(Exception):
    """The service refused a request; `problem` is its problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(problem.get("detail") or f"HTTP {status}")
        self.status = status
        self.problem = problem
        self.code: str = problem.get("code", "")


class NoAnswer(Exception):
    """The service gave no answer in time; a write may have been carried out or not."""


class _Cut(Exception):
    """A reply did not come whole, or not at all."""


class _Line:
    """A connection to a service, opened when it is needed, and again when it broke."""

    def __init__(self, base: str) -> None:
        self._connection: HTTPConnection | None = None
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{base!r} is not the address of a service, such as https://croupier.example")
        self._kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._place = parts.netloc
        self.path = parts.path.rstrip("/")

    def open(self, seconds: float) -> HTTPConnection:
        """Return the connection, on which a reply may take so long."""
        if self._connection is None:
            self._connection = self.open_another(seconds)
        return self._connection

    def open_another(self, seconds: float) -> HTTPConnection:
        """Return a connection of its own, for a stream."""
        return self._kind(self._place, timeout=seconds)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        # A program that ends without closing its clients gets no warning.
        self.close()


class Transport:
    """Sends requests over one connection. Not for several threads at once."""

    def __init__(
        self,
        base: str,
        token: str | None,
        headers: Mapping[str, str],
        patience: float,
        beside: Transport | None = None,
    ) -> None:
        """Send requests to the service at `base`; try each for up to `patience` seconds.

        With `beside` the connection is that of another transport to the same service.
        """
        self._line: _Line = beside._line if beside else _Line(base)
        self._headers = dict(headers)
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._patience = patience

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        wait: float = 0.0,
        accept: str = "",
    ) -> Any:
        """Send a request and return the JSON of the reply. Raises Refused and NoAnswer.

        `wait` is how long the service itself may wait before it answers. With `accept`, types of text, the
        text of the reply is returned.
        """
        headers = {**self._headers, **({"Accept": accept} if accept else {})}
        content = None
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        address = self._address(path, query)
        for _ in self._tries(f"{method} {path}"):
            try:
                status, found, text = self._send(method, address, content, headers, wait + self._patience)
            except _Cut:
                continue
            if status < 300 and accept:
                return text.decode()
            if status < 300:
                return json.loads(text) if text else None
            if status not in _AGAIN:
                raise Refused(status, _read_problem(text))
            _rest(found.get("Retry-After"))
        raise AssertionError("a try that is the last one raises")

    def lines(self, path: str, query: Mapping[str, Any], last_id: str | None) -> Iterator[str]:
        """Yield the lines of an event stream until it ends or breaks. Raises Refused and NoAnswer."""
        headers = {**self._headers, "Accept": _STREAM, **({"Last-Event-ID": last_id} if last_id else {})}
        connection = self._line.open_another(self._patience)
        try:
            connection.request("GET", self._address(path, query), headers=headers)
            reply = connection.getresponse()
            if reply.status >= 300:
                text = reply.read()
                if reply.status in _AGAIN:
                    _rest(reply.headers.get("Retry-After"))
                    return
                raise Refused(reply.status, _read_problem(text))
            yield from _whole_lines(reply)
        except (OSError, HTTPException):
            return
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def _address(self, path: str, query: Mapping[str, Any] | None) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return f"{self._line.path}{path}?{urlencode(given)}" if given else f"{self._line.path}{path}"

    def _tries(self, what: str) -> Iterator[None]:
        """Yield once for each try, with growing pauses between. Raises NoAnswer when it takes too long."""
        end = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            yield
            if time.monotonic() + pause > end:
                raise NoAnswer(f"{what} was not answered within {self._patience:g} seconds")
            # A random part keeps many clients from coming back at the same moment.
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _send(
        self, method: str, address: str, content: bytes | None, headers: Mapping[str, str], seconds: float
    ) -> tuple[int, HTTPMessage, bytes]:
        """Send a request once and return status, headers and body of the reply. Raises _Cut."""
        connection = self._line.open(seconds)
        try:
            connection.request(method, address, content, dict(headers))
            reply = connection.getresponse()
            text = reply.read()
        except (OSError, HTTPException) as fault:
            self.close()
            raise _Cut from fault
        if not _is_whole(reply):
            self.close()
            raise _Cut
        return reply.status, reply.headers, text


def _is_whole(reply: HTTPResponse) -> bool:
    """Return whether the headers came whole: where they were cut, the length of the body is missing."""
    return reply.status == _NO_CONTENT or "Content-Length" in reply.headers or reply.chunked


def _whole_lines(reply: HTTPResponse) -> Iterator[str]:
    """Yield the lines of a reply; the last one only if it came whole."""
    while line := reply.readline():
        if not line.endswith(b"\n"):
            return
        yield line.decode().rstrip("\r\n")


def _rest(seconds: str | None) -> None:
    """Wait as long as the service asks for."""
    if seconds and seconds.isdigit():
        time.sleep(min(int(seconds), _LONGEST_PAUSE))


def _read_problem(text: bytes) -> Mapping[str, Any]:
    try:
        problem = json.loads(text)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
