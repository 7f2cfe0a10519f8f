"""Where things about players lie in Redis: under one hash tag, so that a script reaches all of it."""

from __future__ import annotations

_PREFIX = "croupier:{players}:"


def player_key(player: str) -> str:
    return f"{_PREFIX}player:{player}"


def token_key(token_hash: str) -> str:
    return f"{_PREFIX}token:{token_hash}"


def request_key(key_hash: str) -> str:
    return f"{_PREFIX}request:{key_hash}"


def renames_key(player: str) -> str:
    """The keys that came with new names: gone with the player, for a name can be guessed by its hash."""
    return f"{_PREFIX}renames:{player}"


def derived_keys(player: str) -> tuple[str, ...]:
    """What the projector keeps of a player's games: rows, both lists, events, how far they go, and counts."""
    kinds = ("rows", "games", "awaiting", "events", "marks", "counts")
    return tuple(f"{_PREFIX}{kind}:{player}" for kind in kinds)


def list_keys(player: str) -> tuple[str, ...]:
    """Those of them that can be made anew; events cannot, for their ids would be others."""
    return tuple(key for key in derived_keys(player) if ":events:" not in key and ":marks:" not in key)


ALL_ROWS = f"{_PREFIX}rows:*"
# Seats that players who were erased still have: game and player, until the seat is given up.
DEPARTURES = f"{_PREFIX}departures"
# How often anybody was renamed or erased: as long as it stays the same, so do all names.
NAME_CHANGES = f"{_PREFIX}name-changes"
