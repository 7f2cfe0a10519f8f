"""`croupier mcp`: reads its settings and serves on standard input and output, or on a port."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from urllib.parse import urlsplit

import anyio
from msgspec import Struct

from service import logs
from service.config import Misconfigured
from service.mcp.http import LOOPBACK, find_bearer, make_app, read_bearer, serve
from service.mcp.server import Clients, make_server

DEFAULT_URL = "http://127.0.0.1:8000"
_HOST = re.compile(r"[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\]")


class McpSettings(Struct, frozen=True):
    """The settings of this process; docs/operating.md explains each."""

    url: str = DEFAULT_URL
    token: str = ""
    host: str = "127.0.0.1"
    hosts: tuple[str, ...] = LOOPBACK

    @classmethod
    def from_env(cls, given: Mapping[str, str]) -> McpSettings:
        """Read the settings from variables. Raises Misconfigured, without repeating a token."""
        return cls(
            url=_read_url(given.get("CROUPIER_URL") or DEFAULT_URL),
            token=given.get("CROUPIER_TOKEN") or "",
            host=given.get("HOST") or "127.0.0.1",
            hosts=_read_hosts(given.get("MCP_HOSTS") or ""),
        )


def _read_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    # A password in the address would be shown by everything that shows the address.
    if not usable or "@" in text or "?" in text or "#" in text:
        raise Misconfigured("CROUPIER_URL must be the address of a service, such as https://play.example.org")
    return text.rstrip("/")


def _read_hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(text.replace(",", " ").lower().split())
    if not all(map(_HOST.fullmatch, hosts)):
        raise Misconfigured(f"MCP_HOSTS must be names such as mcp.example.org, without ports, not {text!r}")
    return (*LOOPBACK, *hosts)


def main(environ: Mapping[str, str], log_level: str, port: int | None) -> int:
    """Serve until the input ends or a signal comes. Raises Misconfigured."""
    settings = McpSettings.from_env(environ)
    logs.configure(log_level)
    if port is not None:
        server = make_server(Clients(settings.url, find_bearer), version("croupier"))
        serve(make_app(server, settings.url, settings.hosts), settings.host, port)
        return 0
    token = settings.token
    if read_bearer(f"Bearer {token}") is None:
        raise Misconfigured("CROUPIER_TOKEN must be the token of a player, from POST /v1/players")
    anyio.run(make_server(Clients(settings.url, lambda _: token), version("croupier")).run_stdio_async)
    return 0
