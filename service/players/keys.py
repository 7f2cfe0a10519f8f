"""Where things about players lie in Redis: under one hash tag, so that a script reaches all of it."""

from __future__ import annotations

_PREFIX = "croupier:{players}:"


def player_key(player: str) -> str:
    return f"{_PREFIX}player:{player}"


def token_key(token_hash: str) -> str:
    return f"{_PREFIX}token:{token_hash}"


def request_key(key_hash: str) -> str:
    return f"{_PREFIX}request:{key_hash}"


def derived_keys(player: str) -> tuple[str, ...]:
    """What the projector keeps of a player's games: rows, both lists of them, events, and how far they go."""
    kinds = ("rows", "games", "awaiting", "events", "marks")
    return tuple(f"{_PREFIX}{kind}:{player}" for kind in kinds)
