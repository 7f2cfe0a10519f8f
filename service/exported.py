"""Reads a file that a game was exported to."""

from __future__ import annotations

from typing import Any

import msgspec

from events.codec import Unreadable


def exported(text: bytes) -> list[Any]:
    """NDJSON, a JSON list, or pages as /events gives them."""
    try:
        things = [msgspec.json.decode(text)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        things = [_line(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    commits = [commit for thing in things for commit in _commits(thing)]
    if not commits:
        raise Unreadable("it holds no commits")
    return commits


def _line(number: int, line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(f"line {number} is no JSON: {fault}") from fault


def _commits(thing: Any) -> list[Any]:
    if isinstance(thing, dict) and isinstance(thing.get("commits"), list):
        return list(thing["commits"])
    return thing if isinstance(thing, list) else [thing]
