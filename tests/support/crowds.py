"""Somebody who opens many connections and does nothing useful with them, in a process of his own."""

from __future__ import annotations

import os
import resource
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from urllib.parse import urlsplit

HALF_A_BODY = (
    b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
)
# Longer than what is read before anybody looks at it.
HALF_A_FILE = (
    b"POST /v1/imports HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\n"
    b"Content-Length: 100000\r\n\r\n{"
)
HALF_A_HEAD = b"GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: "
# What it keeps up each second where it is sent away.
AGAIN = 500


def stream_request(game: str) -> bytes:
    return f"GET /v1/games/{game}/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n".encode()


@contextmanager
def crowd(base: str, number: int, sent: bytes, address: str = "127.0.0.1") -> Iterator[subprocess.Popen[str]]:
    """The block begins when all have tried to connect; whoever is sent away comes again."""
    command = [sys.executable, "-m", "tests.support.crowds", base, str(number), sent.hex(), address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "there\n"
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _connect(base: str, sent: bytes, address: str) -> socket.socket | None:
    parts = urlsplit(base)
    with suppress(OSError):
        connection = socket.create_connection(
            (parts.hostname or "", parts.port or 80), 5.0, source_address=(address, 0)
        )
        connection.sendall(sent)
        connection.setblocking(False)
        return connection
    return None


def _is_gone(connection: socket.socket) -> bool:
    try:
        while data := connection.recv(65536):
            if data.startswith((b"HTTP/1.1 4", b"HTTP/1.1 5")):
                return True
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def main(base: str, number: int, sent: bytes, address: str) -> None:
    """Until it is killed, or its parent has died."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    poller, parent = select.epoll(), os.getppid()
    held: dict[int, socket.socket] = {}

    def add() -> None:
        connection = _connect(base, sent, address)
        if connection is not None:
            held[connection.fileno()] = connection
            poller.register(connection, select.EPOLLIN)

    for _ in range(number):
        add()
    print("there", flush=True)
    while os.getppid() == parent:
        end = monotonic() + 1.0
        while monotonic() < end:
            for descriptor, _ in poller.poll(end - monotonic()):
                if _is_gone(held[descriptor]):
                    poller.unregister(descriptor)
                    held.pop(descriptor).close()
        for _ in range(min(AGAIN, number - len(held))):
            add()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), bytes.fromhex(sys.argv[3]), sys.argv[4])
