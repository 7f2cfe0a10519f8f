"""A wire to a service that can be cut."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from urllib.parse import urlsplit

PIECE = 65_536


class Relay:
    """Passes on what comes to a port of its own; whoever calls there sees a service whose line breaks."""

    def __init__(self, base: str) -> None:
        place = urlsplit(base)
        self._target = (place.hostname, place.port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._wires: list[socket.socket] = []
        self._threads = [Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def cut(self) -> None:
        """Every connection that is open now, in the middle of whatever is being said."""
        while self._wires:
            wire = self._wires.pop()
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.cut()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.create_connection(self._target)
                self._wires += [near, far]
                self._begin(near, far)

    def _begin(self, near: socket.socket, far: socket.socket) -> None:
        back = Thread(target=_pass_on, args=(far, near))
        forth = Thread(target=self._pass_both, args=(near, far, back))
        self._threads.append(forth)
        forth.start()

    def _pass_both(self, near: socket.socket, far: socket.socket, back: Thread) -> None:
        with near, far:
            back.start()
            _pass_on(near, far)
            back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Until one side ends; the other is told so."""
    with suppress(OSError):
        while piece := source.recv(PIECE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def open_relay(base: str) -> Iterator[Relay]:
    relay = Relay(base)
    yield relay
    relay.close()
