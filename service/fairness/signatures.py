"""Signs the final head of a game with Ed25519, and checks signatures: a file proves where it was played."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

# What is signed begins with this, so that no signature of something else can be taken for one of a game.
_CONTEXT = "croupier game "
_PUBLIC_KEY = re.compile("[0-9a-f]{64}")
KEY_ID = re.compile("[0-9a-f]{16}")
_VALUE = re.compile("[0-9a-f]{128}")
PublicKeys = Mapping[str, str]


class UnusableKeys(ValueError):
    """Says why a text or file holds no public keys."""


class Signature(Struct, frozen=True):
    """The signature of a game's final head, and the id of the key that made it; both in hex."""

    key: str
    value: str

    @property
    def stored(self) -> str:
        """Return the signature as it is stored with the secrets of a game."""
        return f"{self.key}:{self.value}"


def read_stored(text: str) -> Signature | None:
    """Return a signature that is stored with a game; None if there is none."""
    key, _, value = text.partition(":")
    return Signature(key, value) if value else None


def read_signature(told: Any) -> Signature | None:
    """Return the signature that a header tells; None if it has not the form of one."""
    if not isinstance(told, dict) or told.keys() != {"key", "value"}:
        return None
    key = told["key"]
    value = told["value"]
    if not (isinstance(key, str) and KEY_ID.fullmatch(key)):
        return None
    return Signature(key, value) if isinstance(value, str) and _VALUE.fullmatch(value) else None


def name_key(public: bytes) -> str:
    """Return the id of a public key: the beginning of its hash."""
    return sha256(public).hexdigest()[:16]


def sign_head(private: bytes, head: str) -> Signature:
    """Sign the final head of a game."""
    key = Ed25519PrivateKey.from_private_bytes(private)
    return Signature(name_key(public_of(private)), key.sign(_message(head)).hex())


def public_of(private: bytes) -> bytes:
    """Return the public key of a private one."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def is_signed_by(keys: PublicKeys, signature: Signature, head: str) -> bool:
    """Return whether one of these keys, in hex by their ids, has signed this head."""
    public = keys.get(signature.key)
    if public is None:
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(bytes.fromhex(signature.value), _message(head))
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(head: str) -> bytes:
    return (_CONTEXT + head).encode()


def read_public_keys(given: str) -> PublicKeys:
    """Return public keys by their ids: one in hex, or those of a file like /.well-known/croupier-keys.

    Raises UnusableKeys.
    """
    if _PUBLIC_KEY.fullmatch(given):
        return {name_key(bytes.fromhex(given)): given}
    try:
        listed = json.loads(Path(given).read_text("utf-8"))["keys"]
        public = [entry["public"] for entry in listed]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as fault:
        raise UnusableKeys(
            f"{given} is neither a public key of 64 hex digits nor a file like /.well-known/croupier-keys"
        ) from fault
    if not all(isinstance(key, str) and _PUBLIC_KEY.fullmatch(key) for key in public):
        raise UnusableKeys(f"{given} has a key that is not 64 hex digits")
    return {name_key(bytes.fromhex(key)): key for key in public}
