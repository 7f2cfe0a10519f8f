"""The token that a request shows, however the header is spelt."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment


def read_bearer(environ: WSGIEnvironment) -> str | None:
    """None where there is none; empty where it is none of the kind we know."""
    given = environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    scheme, _, token = given.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
