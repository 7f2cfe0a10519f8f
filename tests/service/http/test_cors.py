"""Pages from other origins: every reply tells the browser that they may read it, or that they may not."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.config import Settings
from service.http.app import DOORBELL, create_app
from service.http.cors import ALLOWED_HEADERS, EXPOSED_HEADERS
from service.http.register import OPERATIONS
from tests.service.http.test_server import Served, served, standing
from tests.support.api_client import ApiClient
from tests.support.app import HEALTHY_REDIS
from tests.support.waiting import PATIENCE

__all__ = ["served", "standing"]
PAGE = "https://play.example.org"
GAME = "g_" + "x" * 22
ADDRESSES = sorted({operation.path.replace("{game}", GAME) for operation in OPERATIONS})
ODD_ADDRESSES = ["/", "/v1/nothing", "/v1/games/", f"/v1/games/{GAME}/nothing"]


@contextmanager
def open_client(memory: redis.Redis, *origins: str) -> Iterator[FlaskClient]:
    app: Flask = create_app(Settings(cors_origins=origins), memory, lambda: HEALTHY_REDIS)
    yield app.test_client()
    app.extensions[DOORBELL].close()


def ask_before(client: FlaskClient, address: str, method: str = "POST", origin: str = PAGE) -> TestResponse:
    """As a browser does before it sends what is more than a form would."""
    headers = {"Origin": origin, "Access-Control-Request-Method": method}
    return client.options(address, headers={**headers, "Access-Control-Request-Headers": "authorization"})


@pytest.mark.parametrize("address", [*ADDRESSES, *ODD_ADDRESSES])
def test_every_address_has_a_preflight(api: ApiClient, address: str) -> None:
    """Also one that nobody knows: the page is to read why its request fails."""
    reply = ask_before(api.client, address, "DELETE")
    assert (reply.status_code, reply.data) == (204, b"")
    assert reply.access_control_allow_origin == "*"
    assert "DELETE" in (reply.access_control_allow_methods or ())
    assert set(ALLOWED_HEADERS) == set(reply.access_control_allow_headers or ())
    assert (reply.access_control_max_age or 0) > 0


@pytest.mark.parametrize(
    ("method", "address", "body", "status"),
    [
        ("GET", "/livez", b"", 200),
        ("GET", "/v1/nothing", b"", 404),
        ("DELETE", "/livez", b"", 405),
        ("POST", "/v1/games", b"{", 400),
        ("POST", "/v1/games", b"{}", 422),
        ("POST", "/v1/games", b" " * 20_000, 413),
        ("GET", f"/v1/games/{GAME}/events", b"", 404),
    ],
)
def test_a_page_may_read_replies_and_refusals_alike(
    api: ApiClient, method: str, address: str, body: bytes, status: int
) -> None:
    headers = {"Origin": PAGE, "Content-Type": "application/json"}
    reply = api.client.open(address, method=method, data=body, headers=headers)
    assert reply.status_code == status
    assert reply.access_control_allow_origin == "*"
    assert set(EXPOSED_HEADERS) == set(reply.access_control_expose_headers or ())
    assert reply.headers.getlist("Cross-Origin-Resource-Policy") == ["cross-origin"]
    assert "Access-Control-Allow-Credentials" not in reply.headers


def test_a_page_may_read_streams(api: ApiClient) -> None:
    game = api.create_for(2)
    reply = api.get(f"{game.address}/events?limit=1", Accept="text/event-stream", Origin=PAGE)
    assert reply.access_control_allow_origin == "*"
    assert reply.data.startswith(b"retry")


def test_of_a_list_only_those_may_call_and_caches_are_told(memory: redis.Redis) -> None:
    with open_client(memory, PAGE, "http://localhost:5173") as client:
        for origin, told in ((PAGE, PAGE), ("https://else.example.org", None), ("null", None)):
            asked = ask_before(client, "/v1/games", origin=origin)
            called = client.get("/v1/games", headers={"Origin": origin})
            for reply in (asked, called):
                assert reply.access_control_allow_origin == told
                assert "Origin" in reply.headers.getlist("Vary")
            assert bool(asked.access_control_allow_headers) == bool(told)
        assert "Origin" in client.get("/v1/games").headers.getlist("Vary")


def test_without_origins_no_other_page_may_call(memory: redis.Redis) -> None:
    with open_client(memory) as client:
        called = client.get("/v1/games", headers={"Origin": PAGE})
        assert called.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        for reply in (called, ask_before(client, "/v1/games")):
            assert not [name for name, _ in reply.headers if name.startswith("Access-Control")]


@pytest.mark.long
def test_a_page_may_read_even_that_its_request_was_no_http(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.port), PATIENCE) as connection:
        connection.sendall(b"POST /v1/games HTTP/1.1\r\nContent-Length: x\r\n\r\n")
        reply = connection.makefile("rb").read().split(b"\r\n")
    assert b"Access-Control-Allow-Origin: *" in reply
    assert [line for line in reply if line.startswith(b"Cross-Origin")] == [
        b"Cross-Origin-Resource-Policy: cross-origin"
    ]
