"""The Flask class of the service: remembers which route an address leads to."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flask import Flask, Request, g
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter

from service import logs

MOST_ADDRESSES = 1_000


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


class Application(Flask):
    """Flask with two changes, both in methods that Flask offers for it.

    `create_url_adapter` has a cache, as clients call the same few addresses again and again: Flask would
    bind and match every request anew. `log_exception` writes to the log of the service.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, static_folder=None)
        # An address with two slashes in a row is unknown; Flask would redirect to the one with one.
        self.url_map.merge_slashes = False
        self._log = logs.logger()
        self._find_match = lru_cache(MOST_ADDRESSES)(RememberedMatch)

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(None)
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
            return self._find_match(*place)
        except HTTPException:
            # Not remembered, so that nobody can fill the cache with addresses that lead nowhere.
            return MapAdapter(*place, request.query_string.decode("latin-1"))

    def log_exception(self, exc_info: Any) -> None:
        """Log the traceback of an exception that no handler knows, with the id of the request."""
        self._log.error("unforeseen", exc_info=exc_info, request_id=g.get("request_id"))
