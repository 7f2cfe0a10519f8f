"""Idempotency keys that nobody is refused for."""

from uuid import NAMESPACE_OID, uuid5


def long_key(name: object) -> str:
    """A UUID, the same one for the same name."""
    return str(uuid5(NAMESPACE_OID, str(name)))
