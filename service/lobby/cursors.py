"""Where a page of a list begins, as text that means nothing to others."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode


class BadCursor(ValueError):
    """Not a cursor of ours."""


def encode_cursor(member: bytes) -> str:
    return urlsafe_b64encode(member).rstrip(b"=").decode()


def decode_cursor(cursor: str) -> bytes:
    try:
        member = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        age, bar, game = member.decode().partition("|")
    except (ValueError, UnicodeError) as fault:
        raise BadCursor("not a cursor of this list") from fault
    if not (bar and game and age.isdigit()):
        raise BadCursor("not a cursor of this list")
    return member
