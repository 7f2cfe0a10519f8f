"""HTTP operations on keys: the public keys that prove where a game was played."""

from __future__ import annotations

from msgspec import Struct

from service.http.auth import PUBLIC_ACCESS
from service.http.operation import Call, operation
from service.http.responses import Reply
from service.keys.signing import PublicKey


class PublicKeysReply(Struct, frozen=True):
    """A game that ends here is signed by one of these; retired ones signed earlier games."""

    keys: tuple[PublicKey, ...]


@operation(
    "GET /.well-known/croupier-keys",
    "The public keys that this service signs finished games with",
    PublicKeysReply,
    access=PUBLIC_ACCESS,
    errors=("unavailable",),
)
def show_signing_keys(call: Call[None]) -> Reply:
    """Reply with all public keys, oldest first."""
    return Reply(PublicKeysReply(tuple(call.services.signing_keys.list())))
