"""Idempotency keys: whose they are, whether a stranger could guess one, and which game one makes."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import digest

ANONYMOUS = ""
LEAST_LENGTH = 32
# One character ten times in a row, or one piece again and again. No UUID is so by chance.
_MONOTONOUS = re.compile(r".*(.)\1{9}.*|(.{1,16})\2+.{0,15}")


class WeakKey(Exception):
    """Whoever guesses the key of a request gets its reply, with the tokens in it: this one is too easy."""


def scope_of(request: str, sender: str) -> str:
    """Within which a key means one request: the same key of two senders means two."""
    return request if sender == ANONYMOUS else f"{request} by {sender}"


def is_weak(sender: str, key: str | None) -> bool:
    """Only what comes without a token has to be hard to guess: nobody can send another's token."""
    if key is None or sender != ANONYMOUS:
        return False
    return len(key) < LEAST_LENGTH or _MONOTONOUS.fullmatch(key) is not None


def draw_game_id() -> str:
    return name_game(secrets.token_bytes(32))


def derive_game_id(secret: bytes, sender: str, key: str) -> str:
    """Always the same, so that a repeated creation meets the game it made; the secret hides the key."""
    return name_game(digest(secret, f"{scope_of('game', sender)}|{key}".encode(), "sha256"))


def former_game_id(key: str) -> str:
    """What a game was called while everybody could compute it; those games are still there."""
    return name_game(sha256(f"game|{key}".encode()).digest())


def name_game(drawn: bytes) -> str:
    return "g_" + urlsafe_b64encode(drawn).decode()[:22]
