"""What tells a repeated request from a new one."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import Struct

_encoder = msgspec.json.Encoder(order="sorted")


class Request(Struct, frozen=True):
    """`key` is the client's, `stored_key` what the log keeps of it, `fingerprint` a hash of the rest."""

    key: str | None
    stored_key: str
    fingerprint: str


def identify_request(scope: str, key: str | None, body: Any) -> Request:
    """A key counts within its scope; one of our own lets us repeat an append whose reply was lost."""
    stored = secrets.token_hex(12) if key is None else _hash(scope, key)[:32]
    return Request(key, stored, sha256(_encoder.encode((scope, body))).hexdigest())


def new_game_id(key: str | None) -> str:
    """With a key always the same, so that a repeated creation meets the game it made before."""
    found = secrets.token_bytes(32) if key is None else bytes.fromhex(_hash("game", key))
    return "g_" + urlsafe_b64encode(found).decode()[:22]


def _hash(scope: str, key: str) -> str:
    return sha256(f"{scope}|{key}".encode()).hexdigest()
