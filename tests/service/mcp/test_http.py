"""Who is let in over HTTP: by token, host, origin and size."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import anyio
import pytest
from flask import Flask
from msgspec import Struct
from starlette.types import ASGIApp, Message

from service.config import Misconfigured
from service.mcp.command import McpSettings
from service.mcp.http import MOST_BODY_BYTES, BearerRequired, find_bearer, make_app
from service.mcp.server import Clients, make_server
from tests.support.api_client import ApiClient
from tests.support.models import serve_app

HOSTS = ("127.0.0.1", "mcp.example.org")
GOOD = {"host": "127.0.0.1:8100"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


class Answer(Struct, frozen=True):
    status: int
    headers: dict[str, str]
    body: bytes


async def send(app: ASGIApp, headers: dict[str, str], body: bytes = b"") -> Answer:
    """Send one request to an application, and return what it answers."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def keep(message: Any) -> None:
        sent.append(message)

    lines = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in lines.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8100),
        "scheme": "http",
        "http_version": "1.1",
        "root_path": "",
    }
    await app(scope, receive, keep)
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], told, b"".join(part.get("body", b"") for part in sent[1:]))


async def let_in(scope: Any, receive: Any, send: Any) -> None:
    """The application behind the door."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"inside"})


@pytest.fixture
def base(app: Flask) -> Iterator[str]:
    with serve_app(app) as base:
        yield base


@pytest.fixture
def token(api: ApiClient) -> str:
    return str(api.post("/v1/players", {"name": "Mind"}).get_json()["token"])


def test_only_tokens_of_players_are_let_in(base: str, token: str, api: ApiClient, log: BytesIO) -> None:
    seat = api.create_for(2).tokens[0]

    async def steps() -> None:
        door = BearerRequired(let_in, base, HOSTS)
        assert (await send(door, {**GOOD, "authorization": f"Bearer {token}"})).body == b"inside"
        for header in ("", "Basic YTpi", "Bearer ", "Bearer a b", f"Bearer {'x' * 201}", "Bearer ü"):
            missing = await send(door, {**GOOD, "authorization": header})
            assert missing.status == 401
            assert missing.headers["www-authenticate"] == 'Bearer realm="croupier"'
        for wrong in ("player_wrong", seat, f"{token}x"):
            refused = await send(door, {**GOOD, "authorization": f"Bearer {wrong}"})
            assert refused.status == 401
            assert refused.headers["www-authenticate"] == 'Bearer error="invalid_token", realm="croupier"'
            assert refused.headers["content-type"] == "application/problem+json"
            assert json.loads(refused.body)["status"] == 401
            assert wrong.encode() not in refused.body

    anyio.run(steps)
    assert token.encode() not in log.getvalue()
    assert seat.encode() not in log.getvalue()


def test_a_token_is_checked_again_after_a_while(base: str, token: str, api: ApiClient) -> None:
    now = [0.0]
    headers = {**GOOD, "authorization": f"Bearer {token}"}

    async def steps() -> None:
        door = BearerRequired(let_in, base, HOSTS, clock=lambda: now[0])
        assert (await send(door, headers)).status == 200
        assert api.client.delete("/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code == 204
        assert (await send(door, headers)).status == 200
        now[0] += 31
        assert (await send(door, headers)).status == 401

    anyio.run(steps)


def test_other_hosts_and_origins_are_refused_before_the_token_is_read() -> None:
    async def steps() -> None:
        # A port where no service is: no refusal may need one.
        door = BearerRequired(let_in, "http://127.0.0.1:9", HOSTS)
        for host in ("evil.example", "127.0.0.1.evil.example", "mcp.example.org.evil.example:80", ""):
            assert (await send(door, {"host": host})).status == 421
        for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example"):
            assert (await send(door, {**GOOD, "origin": origin})).status == 403
        for origin in ("https://mcp.example.org", "http://127.0.0.1:8100"):
            assert (await send(door, {"host": "mcp.example.org", "origin": origin})).status == 401

    anyio.run(steps)


def test_large_bodies_are_refused_and_small_ones_answered(base: str, token: str) -> None:
    async def steps() -> None:
        server = make_server(Clients(base, find_bearer), "1")
        app = make_app(server, base, HOSTS)
        headers = {**GOOD, "authorization": f"Bearer {token}"}
        async with server.session_manager.run():
            large = await send(app, headers, b" " * (MOST_BODY_BYTES + 1))
            assert large.status == 413
            junk = await send(app, headers, b"junk")
            assert junk.status == 400
            assert json.loads((await send(app, headers, json.dumps(PING).encode())).body)["result"] == {}

    anyio.run(steps)


def test_settings_are_refused_by_name_without_repeating_secrets() -> None:
    assert McpSettings.from_env({}) == McpSettings()
    given = {"CROUPIER_URL": "https://play.example.org/", "MCP_HOSTS": "mcp.example.org, [::2]"}
    assert McpSettings.from_env(given).url == "https://play.example.org"
    assert McpSettings.from_env(given).hosts[-2:] == ("mcp.example.org", "[::2]")
    for url in ("ftp://x", "play.example.org", "http://a:pa55@b", "http://x?y", "http://[x", "http://x:0"):
        with pytest.raises(Misconfigured, match="CROUPIER_URL must be") as caught:
            McpSettings.from_env({"CROUPIER_URL": url})
        assert "pa55" not in str(caught.value)
    for hosts in ("*", "a/b", "a:80", "http://a"):
        with pytest.raises(Misconfigured, match="MCP_HOSTS must be"):
            McpSettings.from_env({"MCP_HOSTS": hosts})
