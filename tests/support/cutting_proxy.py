"""A line to a service that is cut at random places, in both directions."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random
from threading import Thread
from urllib.parse import urlsplit

PIECE = 4096


class CuttingProxy:
    """Forwards connections; each is closed after so many bytes, up to `longest`, in either direction."""

    def __init__(self, base: str, seed: int, longest: int) -> None:
        parts = urlsplit(base)
        self._target = (parts.hostname or "", parts.port or 80)
        self._random = Random(seed)
        self._longest = longest
        self._server = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self.cuts = 0

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(self._target)
                left = [self._random.randint(1, self._longest) for _ in range(2)]
                for source, target, most in ((near, far, left[0]), (far, near, left[1])):
                    Thread(target=self._forward, args=(source, target, most), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, left: int) -> None:
        with suppress(OSError):
            while left > 0 and (piece := source.recv(min(PIECE, left))):
                target.sendall(piece)
                left -= len(piece)
        self.cuts += left <= 0
        for line in (source, target):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()

    def close(self) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


@contextmanager
def cut_lines_to(base: str, seed: int = 1, longest: int = 6_000) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(base, seed, longest)
    Thread(target=proxy.serve, daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.close()
