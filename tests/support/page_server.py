"""Files of a folder, or an application, over HTTP, from a port of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.types import WSGIApplication


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """The address under which a browser finds them: another origin than any service."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, _running(server) as address:
        yield address


class QuietCalls(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@contextmanager
def serve_application(application: WSGIApplication) -> Iterator[str]:
    """The address under which programs find it."""
    server = make_server("127.0.0.1", 0, application, handler_class=QuietCalls)
    with server, _running(server) as address:
        yield address


@contextmanager
def _running(server: HTTPServer) -> Iterator[str]:
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
