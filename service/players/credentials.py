"""A player's token: told from a seat's by how it looks, known to the service by its hash alone."""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from hmac import digest

PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{22}")
# As long as no token of a seat is.
_TOKEN = re.compile(r"player_[A-Za-z0-9_-]{43}")
_BYTES = 32


def draw_player_id() -> str:
    return "p_" + secrets.token_urlsafe(_BYTES)[:22]


def make_token(spice: str, key: str | None) -> str:
    """Random; with an idempotency key always the same one, so that the repeat gets the same reply."""
    drawn = secrets.token_bytes(_BYTES) if key is None else digest(spice.encode(), key.encode(), "sha256")
    return "player_" + urlsafe_b64encode(drawn).rstrip(b"=").decode()


def looks_like_players(token: str) -> bool:
    return _TOKEN.fullmatch(token) is not None
