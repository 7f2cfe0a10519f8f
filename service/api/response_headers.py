"""Headers of replies that mean something to a client, and which reply has which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.api.operation import Operation

_TEXT, _SECONDS = {"type": "string"}, {"type": "integer", "minimum": 0}
RESPONSE_HEADERS: Mapping[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "Names the request in the server's log; the one that was sent, or a new one.",
        "schema": _TEXT,
    },
    "ETag": {
        "description": "Names what was sent: of a game, its version. Lines and streams have none.",
        "schema": _TEXT,
    },
    "Vary": {"description": "What caches have to tell apart.", "schema": _TEXT},
    "Location": {"description": "Where what was made or found can be seen.", "schema": _TEXT},
    "Idempotent-Replayed": {
        "description": "The request came with a key that was known: this is the first reply again.",
        "schema": {"type": "string", "const": "true"},
    },
    "WWW-Authenticate": {"description": "That a bearer token is wanted.", "schema": _TEXT},
    "RateLimit": {
        "description": 'What is left: a list of `"name";r=requests;t=seconds until they count anew`.',
        "schema": _TEXT,
    },
    "RateLimit-Policy": {
        "description": 'What is allowed: a list of `"name";q=requests;w=in so many seconds`.',
        "schema": _TEXT,
    },
    "Retry-After": {"description": "Try again after so many seconds.", "schema": _SECONDS},
}
_OF_STATUS = {
    202: ("Location", "Retry-After", "Vary"),
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


def header_names(operation: Operation, status: int) -> tuple[str, ...]:
    made = status == operation.status
    tagged = status == 304 or (made and operation.tagged)
    return (
        "X-Request-ID",
        *(("RateLimit", "RateLimit-Policy") if operation.kind else ()),
        *(("ETag",) if tagged else ()),
        *(("Vary",) if tagged or (made and operation.method == "GET") else ()),
        *(("Location",) if made and operation.located else ()),
        *(("Idempotent-Replayed",) if made and operation.repeatable else ()),
        *_OF_STATUS.get(status, ()),
    )
