"""Replies on their way out of gunicorn: in how many pieces, and what is said of them."""

from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser

from service.http.server.worker import OneSendResponse, QuickConfig


class Wire:
    """A socket that brings one request and notes what is sent."""

    def __init__(self, method: str, version: str) -> None:
        self._request = f"{method} / HTTP/{version}\r\nHost: here\r\n\r\n".encode()
        self.sent: list[bytes] = []

    def recv(self, size: int) -> bytes:
        request, self._request = self._request, b""
        return request

    def sendall(self, data: bytes) -> None:
        self.sent.append(data)


def send(
    headers: dict[str, str], *pieces: bytes, method: str = "GET", version: str = "1.1", status: str = "200 OK"
) -> list[bytes]:
    wire, config = Wire(method, version), QuickConfig(Config())
    response = OneSendResponse(next(RequestParser(config, wire, ("127.0.0.1", 1))), wire, config)
    response.start_response(status, list(headers.items()))
    for piece in pieces:
        response.write(piece)
    response.close()
    return wire.sent


def test_a_whole_body_leaves_with_its_headers() -> None:
    (reply,) = send({"Content-Length": "4", "X-Seat": "2"}, b"body")
    head, _, body = reply.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    assert (first, body) == (b"HTTP/1.1 200 OK", b"body")
    assert {b"Content-Length: 4", b"X-Seat: 2", b"Connection: keep-alive"} <= set(lines)
    assert [line for line in lines if line.startswith(b"Date: ") and line.endswith(b" GMT")]


def test_of_a_stream_every_piece_leaves_at_once() -> None:
    head, *chunks = send({}, b"one", b"two")
    assert b"Transfer-Encoding: chunked" in head
    assert chunks == [b"3\r\none\r\n", b"3\r\ntwo\r\n", b"0\r\n\r\n"]


def test_a_body_in_pieces_is_sent_in_pieces() -> None:
    head, *pieces = send({"Content-Length": "6"}, b"one", b"two")
    assert head.endswith(b"\r\n\r\n")
    assert pieces == [b"one", b"two"]


def test_no_more_is_sent_than_was_announced() -> None:
    assert b"".join(send({"Content-Length": "3"}, b"onetwo")).endswith(b"\r\n\r\none")


@pytest.mark.parametrize(("method", "status"), [("HEAD", "200 OK"), ("GET", "304 Not Modified")])
def test_what_has_no_body_gets_none(method: str, status: str) -> None:
    (reply,) = send({"Content-Length": "4"}, b"body", method=method, status=status)
    assert reply.endswith(b"\r\n\r\n")


def test_an_older_client_is_told_that_the_connection_closes() -> None:
    (reply,) = send({"Content-Length": "0"}, b"", version="1.0")
    assert reply.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"Connection: close\r\n" in reply


def test_settings_are_those_of_gunicorn() -> None:
    original = Config()
    original.set("keepalive", 7)
    quick: Any = QuickConfig(original)
    assert {name: getattr(quick, name) for name in original.settings} == {
        name: getattr(original, name) for name in original.settings
    }
    assert (quick.keepalive, quick.is_ssl, quick.address) == (7, original.is_ssl, original.address)
