"""Encodes and decodes the opaque cursors of paged lists."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime


class BadCursor(ValueError):
    """Says that a cursor is not valid in this list."""


def write_member(moment: datetime, game: str) -> bytes:
    """Return the entry of a game in a list, which sorts by age as text; a cursor stands for such an entry."""
    return f"{to_milliseconds(moment):015d}|{game}".encode()


def game_in(member: bytes) -> str:
    """Return the game of an entry."""
    return member.decode().partition("|")[2]


def age_in(member: bytes) -> int:
    """Return the time of an entry, in milliseconds."""
    return int(member.partition(b"|")[0])


def to_milliseconds(moment: datetime) -> int:
    """Return the milliseconds since 1970."""
    return round(moment.timestamp() * 1000)


def encode_cursor(member: bytes, order: str = "") -> str:
    """Return the cursor behind an entry, valid only in a list of that order.

    Cursors of exports name no order: clients have stored such ones.
    """
    return urlsafe_b64encode(_begin(order) + member).rstrip(b"=").decode()


def decode_cursor(cursor: str, order: str = "") -> bytes:
    """Return the entry that a cursor stands for. Raises BadCursor, also for a cursor of another list."""
    try:
        found = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        member = found[len(_begin(order)) :] if found.startswith(_begin(order)) else b""
        age, bar, game = member.decode().partition("|")
    except (ValueError, UnicodeError) as fault:
        raise BadCursor("not a cursor of this list") from fault
    if not (bar and game and age.isascii() and age.isdigit() and len(age) <= 15):
        raise BadCursor("not a cursor of this list")
    return member


def _begin(order: str) -> bytes:
    """Return what the cursors of an order begin with."""
    return f"{order}|".encode() if order else b""
