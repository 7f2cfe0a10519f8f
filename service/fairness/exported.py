"""Reads a file that a game was exported to."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import msgspec

from events.codec import Unreadable


def read_export(text: bytes) -> list[Any]:
    """NDJSON, a JSON list, or pages as /events gives them."""
    try:
        things = [msgspec.json.decode(text)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        things = [_line(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    else:
        _refuse_twins(text)
    commits = [commit for thing in things for commit in _commits(thing)]
    if not commits:
        raise Unreadable("it holds no commits")
    return commits


def _line(number: int, line: bytes) -> Any:
    try:
        thing = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(f"line {number} is no JSON: {fault}") from fault
    _refuse_twins(line)
    return thing


def _refuse_twins(text: bytes) -> None:
    """Of two members of one name each reader would believe another."""
    try:
        json.loads(text, object_pairs_hook=_members, parse_int=float)
    except RecursionError as fault:
        raise Unreadable("it is nested too deeply to be a game") from fault


def _members(pairs: list[tuple[str, Any]]) -> None:
    counts = Counter(name for name, _ in pairs)
    for name, count in counts.items():
        if count > 1:
            raise Unreadable(f"it has the member {name} twice in one object")


def _commits(thing: Any) -> list[Any]:
    if isinstance(thing, dict) and isinstance(thing.get("commits"), list):
        return list(thing["commits"])
    return thing if isinstance(thing, list) else [thing]
