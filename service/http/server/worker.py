"""The gunicorn worker: sends short responses in one write and answers malformed requests with problems.

All that replaces parts of gunicorn for speed is in this module, with what it saves of the processor time of
a choice, by nine interleaved pairs with and without it.
"""

from __future__ import annotations

import os
from contextlib import nullcontext, suppress
from functools import lru_cache
from io import BytesIO
from socket import SHUT_RDWR, socket
from time import time
from typing import Any

from gevent import GreenletExit
from gunicorn.http import wsgi
from gunicorn.http.errors import InvalidResponseHeader, InvalidResponseHeaderName, ParseException
from gunicorn.util import http_date
from gunicorn.workers.ggevent import GeventWorker

from service.config import Settings
from service.http.addresses import Proxies, network_of
from service.http.processor_time import SWITCH_CLOCK
from service.http.server.connections import (
    BadHost,
    Bounds,
    Connection,
    ConnectionTimeouts,
    LateBody,
    RequestTimeout,
    Room,
)
from service.ops.processes import Capacity, measure_capacity
from service.run_folder import beat

# Larger ones are refused unread, or read by those few who take files.
LARGEST_READ = 64 * 1024
_NO_LIMIT = nullcontext()


class QuickConfig:
    """gunicorn's settings as plain attributes: it looks some up thirty times a request, each in two dicts.

    Two runs showed 3 % (-12 to 9 %) and 6 % (-4 to 11 %), so that more than 5 % is not proven. Everything
    that is not a setting is asked of the original.
    """

    def __init__(self, original: Any) -> None:
        self._original = original
        for name in original.settings:
            if not isinstance(getattr(type(original), name, None), property):
                setattr(self, name, getattr(original, name))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    """Return the Date header, which is the same for all responses of a second and slow to format."""
    return str(http_date(second))


class OneSendResponse(wsgi.Response):  # type: ignore[misc]
    """Sends headers and body at once; gunicorn sends them one after the other. Saves 7 % (0 to 12 %)."""

    headers_sent: bool

    def write(self, data: bytes) -> None:
        """Send a whole body together with its headers; the pieces of a stream go one by one."""
        if self.headers_sent or self._omits_body or self.response_length != len(data):
            super().write(data)
            return
        connection = "close" if self.should_close() else "keep-alive"
        lines = [
            f"HTTP/{self.req.version[0]}.{self.req.version[1]} {self.status}",
            *(f"{name}: {value}" for name, value in self.headers),
            f"Server: {self.version}\r\nDate: {_date(int(time()))}\r\nConnection: {connection}\r\n\r\n",
        ]
        self.sock.sendall("\r\n".join(lines).encode("latin-1") + data)
        self.headers_sent = True
        self.sent = len(data)


class ProblemWorker(GeventWorker):  # type: ignore[misc]
    """Serves requests with gevent, and answers malformed ones with problems."""

    cfg: Any

    def init_process(self) -> None:
        """Prepare the limits of this process, then serve until it is stopped."""
        settings = Settings.from_env(os.environ)
        self.cfg = QuickConfig(self.cfg)
        self._patience = ConnectionTimeouts(
            self.cfg.keepalive, settings.request_seconds, settings.request_seconds
        )
        self._room = Room(bound_connections(measure_capacity()), Proxies(settings.trusted_proxies).are_at)
        SWITCH_CLOCK.start()
        super().init_process()

    def notify(self) -> None:
        """Record a heartbeat; gunicorn calls this every second."""
        super().notify()
        beat()

    def timeout_ctx(self) -> nullcontext[None]:
        """Return a context without a time limit: connections have limits of their own."""
        return _NO_LIMIT

    def handle(self, listener: Any, client: socket, addr: Any) -> None:
        """Serve one connection until it is closed."""
        address = network_of(addr[0]) if isinstance(addr, tuple) else ""
        connection = Connection(client, address, self._room, self._patience)
        with self._room.admit(connection):
            super().handle(listener, connection, addr)

    def handle_request(self, listener_name: Any, req: Any, sock: Connection, addr: Any) -> None:
        """Serve one request as the parent does, with our response and without an access log.

        The service writes its own log lines. Raises StopIteration if the connection is to be closed, BadHost
        and RequestTimeout.
        """
        if req.version >= (1, 1) and [name for name, _ in req.headers].count("HOST") != 1:
            raise BadHost
        response, environ = wsgi.create(req, sock, addr, listener_name, self.cfg, OneSendResponse)
        environ["wsgi.multithread"] = True
        _read_body(environ, sock, response)
        sock.begin_reply()
        try:
            self._answer(environ, response, sock)
        finally:
            sock.end_reply()

    def _answer(self, environ: dict[str, Any], response: OneSendResponse, sock: Connection) -> None:
        """Call the application and send its reply. Raises StopIteration if the connection is to be closed."""
        if not (self.alive and self.cfg.keepalive):
            response.force_close()
        try:
            self._respond(environ, response)
        except (GreenletExit, SystemExit):
            return
        except Exception as fault:
            self._cut_off(sock, response, fault)
        if response.should_close():
            raise StopIteration

    def _respond(self, environ: dict[str, Any], response: OneSendResponse) -> None:
        """Call the application and send its reply, piece by piece."""
        body = self.wsgi(environ, response.start_response)
        try:
            for piece in body:
                response.write(piece)
            response.close()
        finally:
            if hasattr(body, "close"):
                body.close()

    def _cut_off(self, sock: Connection, response: OneSendResponse, fault: Exception) -> None:
        """Close a connection whose reply broke off, since it cannot become another reply.

        Raises the fault if nothing was sent yet, else StopIteration.
        """
        if isinstance(fault, OSError) or not response.headers_sent:
            raise fault
        self.log.error("a reply broke off", exc_info=fault)
        with suppress(OSError):
            sock.shutdown(SHUT_RDWR)
        raise StopIteration from fault

    def handle_error(self, req: Any, client: Connection, addr: Any, exc: BaseException) -> None:
        """Answer a malformed request with a problem; leave faults of the application to the parent."""
        ours = isinstance(exc, (InvalidResponseHeader, InvalidResponseHeaderName))
        if ours or not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        # Not above: the master loads this module too, before gevent has patched what Flask builds on.
        from service.http.cors import CROSS_ORIGIN
        from service.http.requests import encode_refusal
        from service.metrics import count_limit_hit

        if isinstance(exc, RequestTimeout):
            count_limit_hit("incomplete")
        else:
            self.log.warning("unreadable request: %s", type(exc).__name__)
        # The origin of the request could not be read either.
        more = self.wsgi.extensions[CROSS_ORIGIN].headers_for(None)
        with suppress(OSError):
            client.sendall(encode_refusal(exc, more))


def bound_connections(capacity: Capacity) -> Bounds:
    """Return the bounds for a capacity; half-sent requests leave room for whole ones."""
    return Bounds(capacity.connections, capacity.connections // 4, capacity.connections // 8)


def _read_body(environ: dict[str, Any], sock: Connection, response: OneSendResponse) -> None:
    """Read a body of usual size whole, so that the application never waits for one. Raises RequestTimeout."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"]
    if 0 < length <= LARGEST_READ:
        environ["wsgi.input"] = BytesIO(body.read(length))
    elif length:
        environ["wsgi.input"] = LateBody(body, sock, response)
