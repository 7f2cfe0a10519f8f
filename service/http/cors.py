"""Cross-origin requests: which origins are allowed, and the headers that say so.

Tokens travel in a header that no browser adds by itself, and there are no cookies: a page can do with this
service what its own server could, and nothing in its visitors' names. So `*` is as safe as a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Response
from werkzeug.datastructures import HeaderSet

# Under which an application keeps who may call it.
CROSS_ORIGIN = "cross_origin"
EVERYBODY = "*"
ALLOWED_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ALLOWED_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID"),
    "X-Request-ID",
)
EXPOSED_HEADERS = (
    *("ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy", "X-Request-ID"),
    "Idempotent-Replayed",
)
# Browsers ask again after so many seconds, and at once where they keep less.
MAX_AGE = 3600
Headers = tuple[tuple[str, str], ...]


class CrossOrigin:
    """Around the application, so that refusals and streams are told alike; preflights end here."""

    def __init__(self, app: WSGIApplication, origins: tuple[str, ...]) -> None:
        self._app = app
        self.headers_for = lru_cache(1_000)(partial(cross_origin_headers, origins))
        self._is_on = bool(origins)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        more = self.headers_for(environ.get("HTTP_ORIGIN"))
        if self._is_on and is_preflight(environ):
            return make_preflight_reply(more)(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            headers.extend(more)
            return start_response(status, headers, exc_info)

        return self._app(environ, start)


def is_preflight(environ: WSGIEnvironment) -> bool:
    return environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ


def make_preflight_reply(headers: Headers) -> Response:
    """For every address and method alike: what is wrong with a request the page may read in its reply."""
    reply = Response(status=204, headers=list(headers))
    if reply.access_control_allow_origin:
        reply.access_control_allow_methods = HeaderSet(ALLOWED_METHODS)
        reply.access_control_allow_headers = HeaderSet(ALLOWED_HEADERS)
        reply.access_control_max_age = MAX_AGE
    return reply


def cross_origin_headers(origins: tuple[str, ...], origin: str | None) -> Headers:
    """What a reply says to a page of that origin; None where the request names no origin."""
    if not origins:
        return ()
    policy = ("Cross-Origin-Resource-Policy", "cross-origin")
    if EVERYBODY in origins:
        return (policy, *_allow(EVERYBODY))
    allowed = _allow(origin) if origin in origins and origin else ()
    return (policy, ("Vary", "Origin"), *allowed)


def _allow(origin: str) -> Headers:
    reply = Response()
    reply.headers.clear()
    reply.access_control_allow_origin = origin
    reply.access_control_expose_headers = HeaderSet(EXPOSED_HEADERS)
    return tuple(reply.headers)
