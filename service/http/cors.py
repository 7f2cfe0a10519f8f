"""Cross-origin requests: which origins are allowed, and the headers that say so.

Tokens travel in a header that no browser adds by itself, and there are no cookies: a page can do with this
service what its own server could, and nothing in its visitors' names. So `*` is as safe as a list.
"""

from __future__ import annotations

from functools import lru_cache, partial

from flask import Flask, Response, request
from werkzeug.datastructures import HeaderSet

# The key of `app.extensions`.
CROSS_ORIGIN = "cross_origin"
EVERYBODY = "*"
_ALLOW_ORIGIN = "Access-Control-Allow-Origin"
ALLOWED_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
ALLOWED_HEADERS = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "X-Request-ID",
)
EXPOSED_HEADERS = (
    "ETag",
    "Location",
    "Retry-After",
    "RateLimit",
    "RateLimit-Policy",
    "X-Request-ID",
    "Idempotent-Replayed",
)
# Browsers ask again after so many seconds, and at once where they keep less.
MAX_AGE = 3600
Headers = tuple[tuple[str, str], ...]


class CrossOrigin:
    """Adds the headers to every response, problems and streams included, and answers preflights."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._is_on = bool(origins)
        self.headers_for = lru_cache(1_000)(partial(cross_origin_headers, origins))

    def init_app(self, app: Flask) -> None:
        app.extensions[CROSS_ORIGIN] = self
        if self._is_on:
            app.before_request(self._answer_preflight)
            app.after_request(self._add_headers)

    def _answer_preflight(self) -> Response | None:
        """Answer for every address and method: the page can then read what is wrong with its request."""
        if request.method != "OPTIONS" or "Access-Control-Request-Method" not in request.headers:
            return None
        reply = Response(status=204)
        if _ALLOW_ORIGIN in dict(self.headers_for(request.origin)):
            reply.access_control_allow_methods = HeaderSet(ALLOWED_METHODS)
            reply.access_control_allow_headers = HeaderSet(ALLOWED_HEADERS)
            reply.access_control_max_age = MAX_AGE
        return reply

    def _add_headers(self, response: Response) -> Response:
        """Add the headers, unless an extension has decided for its own views."""
        if not any(name == _ALLOW_ORIGIN for name, _ in response.headers):
            for name, value in self.headers_for(request.environ.get("HTTP_ORIGIN")):
                response.headers.add(name, value)
        return response


def cross_origin_headers(origins: tuple[str, ...], origin: str | None) -> Headers:
    """Return the headers for a page of that origin; None when the request names no origin."""
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
