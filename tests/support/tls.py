"""TLS for servers that have none: the bundled server program is built without it."""

from __future__ import annotations

import select
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread

from tests.support.programs import find_program
from tests.support.service_process import free_port

# What the first message of a TLS client begins with.
HANDSHAKE = b"\x16"
_BLOCK = 65_536


class Certificates:
    """An authority, and a certificate of it for this machine."""

    def __init__(self, folder: Path) -> None:
        self._openssl = find_program("openssl") or "openssl"
        folder.mkdir(parents=True)
        self._folder = folder
        self.authority = folder / "authority.pem"
        self.certificate = folder / "server.pem"
        self.key = folder / "server.key"
        self._run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Authority")
        self._run(
            *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"),
            *("-CA", str(self.authority), "-CAkey", str(folder / "authority.key")),
            name="server",
        )

    def _run(self, *arguments: str, name: str = "authority") -> None:
        files = ("-keyout", str(self._folder / f"{name}.key"), "-out", str(self._folder / f"{name}.pem"))
        subprocess.run([self._openssl, *arguments, *files], check=True, capture_output=True)


class Door:
    """A port in front of a server: what comes encrypted is decrypted, and the rest is passed on as it is.

    So servers talk to each other as before, and clients with TLS.
    """

    def __init__(self, certificates: Certificates, server: int, port: int) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificates.certificate, certificates.key)
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", port))
        self.handshakes = 0
        Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._listening.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                Thread(target=self._serve, args=self._listening.accept()[:1], daemon=True).start()

    def _serve(self, caller: socket.socket) -> None:
        with suppress(OSError), ExitStack() as stack:
            stack.enter_context(caller)
            server = stack.enter_context(socket.create_connection(("127.0.0.1", self._server)))
            if caller.recv(1, socket.MSG_PEEK) == HANDSHAKE:
                caller = stack.enter_context(self._context.wrap_socket(caller, server_side=True))
                self.handshakes += 1
            _pass_on(caller, server)


def _pass_on(caller: socket.socket, server: socket.socket) -> None:
    """Copy what comes from either side until one closes. In one thread: OpenSSL does not allow two."""
    while True:
        waiting = isinstance(caller, ssl.SSLSocket) and caller.pending()
        readable = [caller] if waiting else select.select([caller, server], [], [])[0]
        for source in readable:
            block = source.recv(_BLOCK)
            if not block:
                return
            (server if source is caller else caller).sendall(block)


@contextmanager
def open_door(certificates: Certificates, server: int, port: int | None = None) -> Iterator[tuple[int, Door]]:
    """The port of a door before a server, and the door."""
    at = port or free_port()
    door = Door(certificates, server, at)
    try:
        yield at, door
    finally:
        door.close()
