"""Bodies that the application reads by itself, because they are too large to be read for everybody.

Loaded before gevent has patched anything: nothing of the service's may be imported here but connections.
"""

from __future__ import annotations

from typing import Any

from service.api.connections import Connection, RequestTimeout


class LateBody:
    """While it is read its connection counts among those half sent, with the time that is left to it."""

    def __init__(self, body: Any, connection: Connection, response: Any) -> None:
        self._body, self._connection, self._response = body, connection, response

    def read(self, size: int) -> bytes:
        """Less where the caller goes away. Raises RequestTimeout, after which the connection is not kept."""
        self._connection.resume_request()
        try:
            return bytes(self._body.read(size))
        except (RequestTimeout, ConnectionError) as end:
            self._response.force_close()
            if isinstance(end, RequestTimeout):
                raise
            return b""
        finally:
            self._connection.begin_reply()
