"""Ways to break a server: a kill without warning, and a proxy that loses replies."""

import selectors
import socket
from pathlib import Path
from threading import Thread
from time import monotonic
from types import TracebackType
from urllib.parse import quote

from events.redis import TRUSTED_SECONDS
from service.ops.redis_server import RedisServer
from tests.support.waiting import wait_until


def kill_and_start(server: RedisServer) -> None:
    """Comes back when no client takes a connection to the killed server for a good one any more."""
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    distrusted = monotonic() + TRUSTED_SECONDS
    server.start()
    wait_until(lambda: monotonic() > distrusted, "the end of trust in old connections")


class ReplyLosingProxy:
    """Passes everything on; while `cuts` are left, an append is executed and its reply is lost."""

    def __init__(self, server: RedisServer, path: Path) -> None:
        self.cuts = 0
        self.appends = 0
        self.url = f"unix://:{server.password}@{quote(str(path))}"
        self._target = str(server.socket)
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen()
        self._threads = [Thread(target=self._accept)]

    def __enter__(self) -> "ReplyLosingProxy":
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._door.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            thread = Thread(target=self._serve, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, selectors.DefaultSelector() as ready:
            server.connect(self._target)
            ready.register(client, selectors.EVENT_READ)
            ready.register(server, selectors.EVENT_READ)
            while self._pass_on(client, server, ready):
                pass

    def _pass_on(self, client: socket.socket, server: socket.socket, ready: selectors.BaseSelector) -> bool:
        for key, _ in ready.select():
            source = client if key.fileobj is client else server
            data = source.recv(65536)
            if not data:
                return False
            (server if source is client else client).sendall(data)
            if source is client and b"EVAL" in data and self._lose_reply(server):
                return False
        return True

    def _lose_reply(self, server: socket.socket) -> bool:
        self.appends += 1
        if not self.cuts:
            return False
        self.cuts -= 1
        server.recv(65536)
        return True
