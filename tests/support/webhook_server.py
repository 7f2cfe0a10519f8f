"""A server that receives webhooks: it fails as often as a test wants, and keeps what it accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from time import monotonic
from typing import Any

from msgspec import Struct
from standardwebhooks import Webhook


class Received(Struct, frozen=True):
    """A request, as it came, and the status that it got; 0 where the connection was closed without any."""

    headers: dict[str, str]
    body: bytes
    event: dict[str, Any]
    status: int
    at: float

    @property
    def key(self) -> tuple[str, int, str, int]:
        event = self.event
        return event["game"], event["version"], event["type"], event["seat"]


# Returns the status for a request; 0 closes the connection.
Decide = Callable[[dict[str, Any]], int]


class WebhookServer:
    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.received: list[Received] = []
        self.lock = Lock()
        self.headers: dict[str, str] = {}
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?from=croupier"

    def accepted(self) -> list[Received]:
        with self.lock:
            return [one for one in self.received if 200 <= one.status < 300]

    def all(self) -> list[Received]:
        with self.lock:
            return list(self.received)

    def check_signatures(self, *secrets: str) -> None:
        """By the reference library, each with every secret."""
        for one in self.all():
            for secret in secrets:
                Webhook(secret).verify(one.body, one.headers)

    def check_order(self) -> None:
        """What is new comes in the order of its game, and repeats carry the same id."""
        ids: dict[tuple[Any, ...], str] = {}
        arrived: set[tuple[Any, ...]] = set()
        versions: dict[str, int] = {}
        for one in self.all():
            game, version, *_ = one.key
            message = one.headers["webhook-id"]
            assert one.key in ids or message not in ids.values(), f"{message} was another event before"
            assert ids.setdefault(one.key, message) == message
            if 200 <= one.status < 300 and one.key not in arrived:
                assert version >= versions.get(game, 0), one
                arrived.add(one.key)
                versions[game] = version


@contextmanager
def open_webhook_server(decide: Decide = lambda event: 200) -> Iterator[WebhookServer]:
    server = WebhookServer(decide)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:
                # The sender was killed in the middle of its request.
                self.close_connection = True
                return
            event = json.loads(body)
            status = server.decide(event)
            headers = {name.lower(): value for name, value in self.headers.items()}
            with server.lock:
                server.received.append(Received(headers, body, event, status, monotonic()))
            if status:
                self.send_response(status)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.end_headers()
            else:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server.port = http.server_port
        thread = Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
