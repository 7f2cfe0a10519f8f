"""Where a page of a list begins, as text that means nothing to others."""

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


def encode_cursor(member: bytes) -> str:
    return urlsafe_b64encode(member).rstrip(b"=").decode()


def decode_cursor(cursor: str) -> bytes:
    try:
        member = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        age, bar, game = member.decode().partition("|")
    except (ValueError, UnicodeError) as fault:
        raise BadCursor("not a cursor of this list") from fault
    if not (bar and game and age.isascii() and age.isdigit() and len(age) <= 15):
        raise BadCursor("not a cursor of this list")
    return member
