"""Hooks that run before and after every request: request id, standard headers, metrics, one log line."""

from __future__ import annotations

import re
import secrets
from logging import DEBUG
from time import perf_counter

from flask import Flask, Response, current_app, g, request
from structlog.typing import FilteringBoundLogger

from service import metrics
from service.http.processor_time import start_stopwatch
from service.http.services import SERVICES

_REQUEST_ID = re.compile(r"[!-~]{1,128}")
STANDARD_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)


def register_hooks(app: Flask) -> None:
    """Register the hooks on the application, before those of any extension."""

    @app.before_request
    def begin_request() -> None:
        """Set the facts of the request on `g`."""
        facts = g._get_current_object()
        given = request.environ.get("HTTP_X_REQUEST_ID", "")
        facts.started_at = perf_counter()
        facts.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
        facts.log_facts = {}
        facts.stopwatch = start_stopwatch()
        facts.counted_by = ()
        facts.api_key = None
        facts.rate_limit_headers = ()

    @app.after_request
    def finish_response(response: Response) -> Response:
        """Add the standard headers that the response does not have, count it and log it."""
        facts = g._get_current_object()
        present = {name.lower() for name, _ in response.headers}
        # One by one: `extend` takes twice as long.
        add = response.headers.add
        for name, value in STANDARD_HEADERS:
            if name.lower() not in present:
                add(name, value)
        add("X-Request-ID", facts.request_id)
        for name, value in facts.rate_limit_headers:
            add(name, value)
        status = response.status_code
        metrics.count_request(status)
        services = current_app.extensions[SERVICES]
        log = services.log
        if _is_fault(status) or log.is_enabled_for(DEBUG):
            _log_request(log, status)
        services.limits.charge(facts.stopwatch.read(), 400 <= status < 500)
        return response


def _is_fault(status: int) -> bool:
    """Return whether a reply is logged as an error; that there is no room is logged once, by `Room`."""
    return status >= 500 and g.log_facts.get("code") != "no_room"


def add_log_facts(**facts: object) -> None:
    """Add fields to the log line of the current request."""
    g.log_facts.update(facts)


def _log_request(log: FilteringBoundLogger, status: int) -> None:
    # The route, never the path: a secret that a caller put into the path by mistake stays out of the log.
    rule = request.url_rule
    path_arguments = request.view_args or {}
    if status != 404 and "game" in path_arguments:
        g.log_facts["game"] = path_arguments["game"]
    write = log.error if _is_fault(status) else log.debug
    write(
        "request",
        method=request.method,
        route=rule.rule if rule else None,
        status=status,
        ms=round((perf_counter() - g.started_at) * 1000, 2),
        request_id=g.request_id,
        **g.log_facts,
    )
