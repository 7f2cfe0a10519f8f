"""Wraps every request: request id, standard headers, one log line."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from time import perf_counter
from types import TracebackType
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from structlog.typing import FilteringBoundLogger

from service import metrics

REQUEST_ID, FACTS = "croupier.request_id", "croupier.facts"
# Headers of this reply alone.
MORE_HEADERS = "croupier.headers"
_GIVEN = re.compile(r"[!-~]{1,128}")
HEADERS = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
ExcInfo = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


def log_facts(environ: WSGIEnvironment, **facts: object) -> None:
    """Adds them to the log line of the request."""
    environ[FACTS].update(facts)


class Envelope:
    """In WSGI and not in Flask's hooks: every request pays for this."""

    def __init__(self, app: WSGIApplication, log: FilteringBoundLogger) -> None:
        self._app, self._log = app, log

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        started = perf_counter()
        given = environ.get("HTTP_X_REQUEST_ID", "")
        request_id = given if _GIVEN.fullmatch(given) else secrets.token_hex(8)
        environ[REQUEST_ID], environ[FACTS] = request_id, {}

        def start(status: str, headers: list[tuple[str, str]], exc_info: ExcInfo | None = None) -> Any:
            present = {name for name, _ in headers}
            headers.extend(header for header in HEADERS if header[0] not in present)
            headers.append(("X-Request-ID", request_id))
            headers.extend(environ.get(MORE_HEADERS, ()))
            metrics.count_request(int(status[:3]))
            self._write(environ, int(status[:3]), perf_counter() - started)
            return start_response(status, headers, exc_info)

        return self._app(environ, start)

    def _write(self, environ: WSGIEnvironment, status: int, seconds: float) -> None:
        """The route, never the address: whatever a caller put there by mistake stays out of the log."""
        seen: Any = environ.get("werkzeug.request")
        rule = getattr(seen, "url_rule", None)
        if status != 404 and rule and "game" in seen.view_args:
            environ[FACTS]["game"] = seen.view_args["game"]
        write = self._log.error if status >= 500 else self._log.debug
        write(
            "request",
            method=environ["REQUEST_METHOD"],
            route=rule.rule if rule else None,
            status=status,
            ms=round(seconds * 1000, 2),
            request_id=environ[REQUEST_ID],
            **environ[FACTS],
        )
