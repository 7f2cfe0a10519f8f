"""Serves the Model Context Protocol as streamable HTTP at `/mcp`.

Every request has a player's token as bearer. The service is asked whose it is, and the answer is remembered
for some seconds. Requests are refused by host and origin, so that no page in a browser can reach a server on
its own machine by a name that the page controls (DNS rebinding).
"""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import anyio.to_thread
import uvicorn
from anyio import CapacityLimiter
from croupier_client import NoAnswer, Refused
from mcp.server.mcpserver import Context
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from events.recently_used import RecentlyUsed
from service.mcp.server import TableServer, connect, find_addresses

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# A call has a few short arguments.
MOST_BODY_BYTES = 65_536
MOST_REQUESTS = 500
# Requests under way may end, but waits for a turn are cut.
_STOP_SECONDS = 6
_TOKEN = re.compile(r"[A-Za-z0-9_-]{8,200}")
_KNOWN_SECONDS = 30.0
_MOST_KNOWN = 10_000
_CHECKS = 20


class BearerRequired:
    """ASGI middleware that lets requests of known players through.

    The order is host, origin, token: what is cheap to refuse never reaches the service.
    """

    def __init__(
        self, app: ASGIApp, url: str, hosts: Sequence[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Ask the service at `url` for players; accept requests that name one of `hosts`."""
        self._app = app
        self._url = url
        self._security = TransportSecurityMiddleware(allow_hosts(hosts))
        self._clock = clock
        # Until when a token is known to be good, by its hash.
        self._known: RecentlyUsed[float] = RecentlyUsed(_MOST_KNOWN)
        self._checks = CapacityLimiter(_CHECKS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = await self._security.validate_request(request) or await self._check_player(request)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    async def _check_player(self, request: Request) -> JSONResponse | None:
        """Return a refusal unless the bearer token is that of a player."""
        token = read_bearer(request.headers.get("authorization", ""))
        if token is None:
            return _refuse(401, "Send the token of a player as `Authorization: Bearer …`.", "")
        digest = sha256(token.encode()).hexdigest()
        if (self._known.find(digest) or 0.0) > self._clock():
            return None
        try:
            await anyio.to_thread.run_sync(self._find_player, token, request, limiter=self._checks)
        except NoAnswer:
            return _refuse(503, "The service does not answer. Send this again.")
        except Refused as refused:
            if refused.status != 401:
                return _refuse(503, "The service cannot check the token at the moment. Send this again.")
            return _refuse(401, "Token is not valid: it must be that of a player.", ' error="invalid_token",')
        self._known.keep(digest, self._clock() + _KNOWN_SECONDS)
        return None

    def _find_player(self, token: str, request: Request) -> None:
        croupier = connect(self._url, token, find_addresses(request))
        try:
            croupier.call("GET", "/me")
        finally:
            croupier.close()


def allow_hosts(hosts: Sequence[str]) -> TransportSecuritySettings:
    """Return which names a request may call this server by, and pages of which origins may send it."""
    names = [pattern for host in hosts for pattern in (host, f"{host}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"{scheme}://{name}" for scheme in ("http", "https") for name in names],
    )


def read_bearer(header: str) -> str | None:
    """Return the token of an Authorization header; None if it has none, or none that could be a token."""
    scheme, _, token = header.partition(" ")
    return token if scheme.lower() == "bearer" and _TOKEN.fullmatch(token) else None


def find_bearer(context: Context[Any, Any]) -> str:
    """Return the token that came with the request, which `BearerRequired` has checked."""
    headers = context.headers or {}
    return read_bearer(headers.get("authorization", "")) or ""


def _refuse(status: int, detail: str, error: str | None = None) -> JSONResponse:
    """Return a problem document; `error` goes into the challenge of a 401."""
    headers = {"Retry-After": "1"} if status == 503 else {}
    if error is not None:
        headers["WWW-Authenticate"] = f'Bearer{error} realm="croupier"'
    return JSONResponse(
        {"status": status, "detail": detail}, status, headers, media_type="application/problem+json"
    )


def make_app(server: TableServer, url: str, hosts: Sequence[str]) -> ASGIApp:
    """Return the ASGI application. It keeps no sessions, so that several processes can share the work."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=allow_hosts(hosts),
    )
    return BearerRequired(app, url, hosts)


def serve(app: ASGIApp, host: str, port: int) -> None:
    """Serve until SIGINT or SIGTERM, then exit with 0."""
    # uvicorn stops at a signal and then raises it again, for handlers that were there before.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        # Addresses are passed on to the service, which knows which proxies it trusts.
        proxy_headers=False,
        limit_concurrency=MOST_REQUESTS,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    uvicorn.Server(config).run()
