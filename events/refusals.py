"""Why a store does not take or give something."""

from __future__ import annotations


class Conflict(Exception):
    """Somebody else's commit came first."""


class KeyReused(Exception):
    """The idempotency key belongs to another request."""


class Repeated(Exception):
    """This request was carried out before, as this version."""

    def __init__(self, version: int) -> None:
        super().__init__(f"already carried out as version {version}")
        self.version = version


class Trimmed(Exception):
    """The feed does not reach back to this position any more."""


class Unavailable(Exception):
    """The store is away or keeps nothing now. What was sent may have arrived: repeat it with its key."""

    def __init__(self, text: str, cause: str = "contended") -> None:
        """`cause` is one of `outages.CAUSES`."""
        super().__init__(text)
        self.cause = cause
