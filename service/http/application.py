"""The Flask class of the service: remembers which route an address leads to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flask import Flask, Request, g
from flask.sessions import NullSession, SecureCookieSession, SecureCookieSessionInterface
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from events.recently_used import RecentlyUsed
from service import logs

MOST_ADDRESSES = 1_000
MOST_FUNCTIONS = 1_000


class RememberedMatch(MapAdapter):
    """The adapter of an address that has a route. Raises HTTPException when it has none."""

    def __init__(self, *place: Any) -> None:
        super().__init__(*place)
        self._match = super().match(return_rule=True)

    def match(self, path_info: str | None = None, method: str | None = None, *rest: Any, **named: Any) -> Any:
        """Return the remembered rule and its arguments, unless another path or method is asked about."""
        if path_info is None and method is None and named == {"return_rule": True}:
            rule, arguments = self._match
            return rule, dict(arguments)
        return super().match(path_info, method, *rest, **named)


class NoSessions(SecureCookieSessionInterface):
    """Sessions only for an application with a secret key; ours has none, and shares an empty one."""

    _empty = NullSession()

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        return super().open_session(app, request) if app.secret_key else self._empty


class Application(Flask):
    """Flask, faster by caches in methods that Flask offers to be overridden.

    Clients call the same few addresses again and again: `create_url_adapter` remembers their routes, where
    Flask binds and matches every request anew. `ensure_sync` remembers which views and hooks are coroutines.
    `log_exception` writes to the log of the service.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        # An address with two slashes in a row is unknown; Flask would redirect to the one with one.
        self.url_map.merge_slashes = False
        self.session_interface = NoSessions()
        self._log = logs.logger()
        self._matches: RecentlyUsed[RememberedMatch] = RecentlyUsed(MOST_ADDRESSES)
        self._ensure_sync = lru_cache(MOST_FUNCTIONS)(super().ensure_sync)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return self._ensure_sync(func)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(None)
        # Not `request.host`, which takes longer than all the rest.
        host = request.environ.get("HTTP_HOST")
        address = f"{request.method} {request.scheme} {host} {request.root_path} {request.path}"
        known = self._matches.find(address)
        if known is not None:
            return known
        request.trusted_hosts = self.config["TRUSTED_HOSTS"]
        place = (
            self.url_map,
            self.config["SERVER_NAME"] or request.host,
            request.root_path,
            "",
            request.scheme,
            request.path,
            request.method,
        )
        try:
            match = RememberedMatch(*place)
        except HTTPException:
            # Not remembered: unknown addresses must not push the known ones out of the cache.
            return MapAdapter(*place, request.query_string.decode("latin-1"))
        self._matches.keep(address, match)
        return match

    def log_exception(self, exc_info: Any) -> None:
        """Log the traceback of an exception that no handler knows, with the id of the request."""
        self._log.error("unforeseen", exc_info=exc_info, request_id=g.get("request_id"))
