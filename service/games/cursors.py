"""Opaque cursors of paged lists."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime


class BadCursor(ValueError):
    """Not a cursor of ours."""


def write_member(moment: datetime, game: str) -> bytes:
    """Sorts by age as text; it is what a cursor stands for."""
    return f"{to_milliseconds(moment):015d}|{game}".encode()


def game_in(member: bytes) -> str:
    return member.decode().partition("|")[2]


def age_in(member: bytes) -> int:
    return int(member.partition(b"|")[0])


def to_milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def encode_cursor(member: bytes, order: str = "") -> str:
    """Good in a list of that order only; programs keep those of exports, which name none."""
    return urlsafe_b64encode(_begin(order) + member).rstrip(b"=").decode()


def decode_cursor(cursor: str, order: str = "") -> bytes:
    """Raises BadCursor, also for one of another list."""
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
    return f"{order}|".encode() if order else b""
