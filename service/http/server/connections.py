"""Limits the number of client connections of a process, and how long each may take.

This module is loaded before gevent has patched anything: it may import nothing of the service.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EPIPE
from socket import SHUT_RD, SHUT_RDWR, socket
from time import monotonic
from typing import Any

from gevent import sleep
from gunicorn.http.errors import ParseException
from msgspec import Struct


class RequestTimeout(ParseException):  # type: ignore[misc]
    """Says that a request that was begun is not whole in time, or had to make room."""


class BadHost(ParseException):  # type: ignore[misc]
    """Says that a request in HTTP/1.1 has no Host header, or several (RFC 9112, section 3.2)."""


class ConnectionTimeouts(Struct, frozen=True):
    """Holds seconds: for the first byte of a request, for all of it, for each piece of a reply."""

    idle: float
    request: float
    reply: float


class Bounds(Struct, frozen=True):
    """Says how many connections a process has at most, and how many of them may have sent half a request."""

    connections: int
    incomplete: int
    incomplete_of_one: int


class Connection:
    """Wraps a socket as gunicorn uses one, with time limits."""

    def __init__(self, sock: socket, address: str, room: Room, patience: ConnectionTimeouts) -> None:
        """Wrap this socket; `room` holds all connections of the process."""
        self._sock = sock
        self.address = address
        self._room = room
        self._patience = patience
        self._deadline: float | None = None
        self._is_dropped = self._is_sending = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def recv(self, size: int) -> bytes:
        """Return what the client sends, and block for it up to the limit.

        Returns nothing if no request has begun in time. Raises RequestTimeout if one has begun and is late.
        """
        if self._deadline is None:
            return self._await_request(size)
        self._room.note_incomplete(self)
        return self._read_on(size, self._deadline)

    def _await_request(self, size: int) -> bytes:
        """Return the first bytes of a request; nothing if none come in time."""
        data = self._receive(size, self._patience.idle)
        self._deadline = monotonic() + self._patience.request
        return data or b""

    def _read_on(self, size: int, deadline: float) -> bytes:
        """Return more bytes of a request. Raises RequestTimeout after the deadline."""
        left = deadline - monotonic()
        data = self._receive(size, left) if left > 0 else None
        if data is None:
            raise RequestTimeout
        return data

    def _receive(self, size: int, seconds: float) -> bytes | None:
        """Return what the client sends; None if nothing comes in time, or the connection was dropped."""
        self._sock.settimeout(seconds)
        try:
            data = self._sock.recv(size)
        except TimeoutError:
            return None
        except OSError:
            # gevent raises it, too, when the socket is shut down while we wait for it.
            if not self._is_dropped:
                raise
            return None
        return None if self._is_dropped else data

    def sendall(self, data: bytes) -> None:
        """Send all data; block up to the limit while the client does not take it. Raises BrokenPipeError."""
        self._sock.settimeout(0.0)
        sent = 0
        with suppress(BlockingIOError):
            sent = self._sock.send(data)
        if sent < len(data):
            self._send_on(data[sent:])

    def _send_on(self, data: bytes) -> None:
        """Send the rest of the data; the connection may be dropped meanwhile, to make room."""
        self._sock.settimeout(self._patience.reply)
        self._is_sending = True
        self._room.wait(self)
        try:
            self._sock.sendall(data)
        except TimeoutError:
            # gunicorn treats this as a client that has gone, which is not logged as a fault.
            raise BrokenPipeError(EPIPE, "the reply is not taken") from None
        finally:
            self._is_sending = False
            self._room.leave_waiting(self)

    def begin_reply(self) -> None:
        """Record that the request is whole: the connection is not dropped for others while it is answered."""
        self._room.leave_waiting(self)

    def resume_request(self) -> None:
        """Record that more of the request is read after all, in what is left of its time."""
        self._room.wait(self)

    def end_reply(self) -> None:
        """Record that the reply is sent and the next request may begin."""
        self._deadline = None
        self._room.wait(self)

    def drop(self) -> None:
        """End the waiting of a connection; a client that has begun a request is told why."""
        self._is_dropped = True
        with suppress(OSError):
            self._sock.shutdown(SHUT_RDWR if self._is_sending else SHUT_RD)


class Room:
    """Holds all connections of a process.

    If there are too many, the one that has waited longest is dropped.
    """

    def __init__(self, bounds: Bounds, is_proxy: Callable[[str], bool]) -> None:
        """Have room within these bounds.

        Behind a proxy's address are many clients, so it may have any share.
        """
        self._bounds = bounds
        self._is_proxy = is_proxy
        # In the order in which they came to wait.
        self._waiting: dict[Connection, None] = {}
        self._incomplete: dict[Connection, None] = {}
        self._present = 0
        self._present_of: Counter[str] = Counter()
        self._incomplete_of: Counter[str] = Counter()

    @contextmanager
    def admit(self, connection: Connection) -> Iterator[None]:
        """Count a connection as long as the context lasts; drop another one if there are too many."""
        self._present += 1
        self._present_of[connection.address] += 1
        self.wait(connection)
        if self._present > self._bounds.connections:
            self._drop_oldest(self._waiting, self._crowding(connection.address))
        try:
            yield
        finally:
            self.leave_waiting(connection)
            self._present -= 1
            _count_down(self._present_of, connection.address)

    def wait(self, connection: Connection) -> None:
        """Record that a connection waits for its client, so that it may be dropped."""
        self._waiting[connection] = None

    def leave_waiting(self, connection: Connection) -> None:
        """Record that a connection does not wait for its client any more."""
        self._waiting.pop(connection, None)
        if connection in self._incomplete:
            del self._incomplete[connection]
            _count_down(self._incomplete_of, connection.address)

    def note_incomplete(self, connection: Connection) -> None:
        """Record that a connection has sent half a request; drop another such one if there are too many."""
        address = connection.address
        if connection in self._incomplete or connection not in self._waiting:
            return
        self._incomplete[connection] = None
        self._incomplete_of[address] += 1
        if self._incomplete_of[address] > self._bounds.incomplete_of_one and not self._is_proxy(address):
            self._drop_oldest(self._incomplete, address)
        elif len(self._incomplete) > self._bounds.incomplete:
            self._drop_oldest(self._incomplete)

    def _crowding(self, address: str) -> str | None:
        """Return the address if it has more than half of all connections and is no proxy's; else None."""
        crowds = self._present_of[address] * 2 > self._bounds.connections
        return address if crowds and not self._is_proxy(address) else None

    def _drop_oldest(self, some: dict[Connection, None], address: str | None = None) -> None:
        """Drop the connection, of this address if one is given, that has waited longest."""
        for connection in some:
            if address in (None, connection.address):
                self.leave_waiting(connection)
                connection.drop()
                return


def _count_down(counts: Counter[str], name: str) -> None:
    """Subtract one, and remove a count that is 0."""
    counts[name] -= 1
    if counts[name] <= 0:
        del counts[name]


# A large body is read in pieces of so many bytes, in about a millisecond each.
PIECE = 64 * 1024
# No time at all would let others go on, but let nothing arrive for them.
YIELD_SECONDS = 0.000_001


class LateBody:
    """Reads a large body, while the application runs; its connection counts among the half-sent ones."""

    def __init__(self, body: Any, connection: Connection, response: Any) -> None:
        """Read this body from this connection."""
        self._body = body
        self._connection = connection
        self._response = response

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, less if the client goes away. Blocks up to what is left of the time.

        Raises RequestTimeout; the connection is then closed after the reply.
        """
        self._connection.resume_request()
        try:
            return b"".join(self._read_pieces(size))
        except (RequestTimeout, ConnectionError) as end:
            self._response.force_close()
            if isinstance(end, RequestTimeout):
                raise
            return b""
        finally:
            self._connection.begin_reply()

    def _read_pieces(self, size: int) -> Iterator[bytes]:
        """Yield the body in pieces, and let other requests run between them.

        A client that sends faster than its body is read would hold the process otherwise.
        """
        while size and (piece := bytes(self._body.read(min(size, PIECE)))):
            yield piece
            size -= len(piece)
            sleep(YIELD_SECONDS)
