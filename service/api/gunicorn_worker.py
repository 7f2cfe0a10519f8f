"""gunicorn's worker, whose own refusals look like all others."""

from __future__ import annotations

from contextlib import suppress
from socket import socket
from typing import Any

from gunicorn.http.errors import InvalidResponseHeader, InvalidResponseHeaderName, ParseException
from gunicorn.workers.ggevent import GeventWorker


class ProblemWorker(GeventWorker):  # type: ignore[misc]
    def handle_error(self, req: Any, client: socket, addr: Any, exc: BaseException) -> None:
        """What fails in the application is the parent's to report."""
        ours = isinstance(exc, (InvalidResponseHeader, InvalidResponseHeaderName))
        if ours or not isinstance(exc, ParseException):
            super().handle_error(req, client, addr, exc)
            return
        # Not above: the master loads this module too, before gevent has patched what Flask builds on.
        from service.api.malformed_requests import encode_refusal

        self.log.warning("unreadable request: %s", type(exc).__name__)
        with suppress(OSError):
            client.sendall(encode_refusal(exc))
