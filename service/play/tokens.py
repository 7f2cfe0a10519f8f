"""A seat's token: 256 bits, shown once, known to the service by its hash alone."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from hmac import digest

TOKEN_BYTES = 32
_FIELD = "token:"
_ENDED = "ended:"
_SPICE = "spice"


def new_spice() -> dict[str, str]:
    """For the vault: what turns an idempotency key into tokens."""
    return {_SPICE: secrets.token_hex(TOKEN_BYTES)}


def has_spice(vault: Mapping[str, str]) -> bool:
    """Whether tokens can be made from it: not long after the end of a game."""
    return _SPICE in vault


def token_for(vault: Mapping[str, str], key: str | None, seat: int) -> str:
    """Random; with an idempotency key always the same one, so that the repeat gets the same reply."""
    # Where the spice is gone the game is over, and nobody gets this token.
    if key is None or not has_spice(vault):
        return secrets.token_urlsafe(TOKEN_BYTES)
    derived = digest(bytes.fromhex(vault[_SPICE]), f"{seat}|{key}".encode(), "sha256")
    return urlsafe_b64encode(derived).rstrip(b"=").decode()


def token_hashes(tokens: Mapping[int, str]) -> dict[str, str]:
    """What the vault keeps of tokens."""
    return {_FIELD + hash_token(token): str(seat) for seat, token in tokens.items()}


def end_tokens(vault: Mapping[str, str], seat: int) -> dict[str, str]:
    """What the vault keeps of a seat's tokens once they open nothing any more: whose they were."""
    ended = [field for field, opened in vault.items() if is_token(field) and opened == str(seat)]
    former = {_ENDED + field.removeprefix(_FIELD): str(seat) for field in ended}
    return {**dict.fromkeys(ended, ""), **former}


def former_seat(vault: Mapping[str, str], credential: str) -> int | None:
    """Of a token with this hash that was ended."""
    seat = vault.get(_ENDED + credential)
    return int(seat) if seat else None


def hash_token(token: str) -> str:
    """All that is ever kept of one, a player's too."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def seat_behind(vault: Mapping[str, str], credential: str) -> int | None:
    """Of the token with this hash."""
    seat = vault.get(_FIELD + credential)
    return int(seat) if seat else None


def is_token(field: str) -> bool:
    """Whether a field of the vault is what it keeps of a token."""
    return field.startswith(_FIELD)


def without_tokens(vault: Mapping[str, str]) -> dict[str, str]:
    return {field: secret for field, secret in vault.items() if not is_token(field)}


def tokens_for(vault: Mapping[str, str], key: str | None, seats: Iterable[int]) -> dict[int, str]:
    return {seat: token_for(vault, key, seat) for seat in seats}
