"""A game's log in Redis, changed where nobody is looking."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import redis

from events.redis_store import game_key

# What the store has of a commit: the entry, and the hash beside it.
Entries = dict[int, dict[bytes, bytes]]
Alteration = Callable[[Entries], None]


def alter_log(client: redis.Redis, game: str, alter: Alteration) -> None:
    """The entries by version, rewritten as the alteration leaves them."""
    name = game_key("game", game)
    found = cast(list[tuple[bytes, dict[bytes, bytes]]], client.xrange(name))
    entries = {int(position.partition(b"-")[0]): fields for position, fields in found}
    alter(entries)
    client.delete(name)
    for version in sorted(entries):
        client.xadd(name, cast(Any, entries[version]), f"{version}-0")


def alter_commit(version: int, change: Callable[[dict[str, Any]], None]) -> Alteration:
    def alter(entries: Entries) -> None:
        commit = json.loads(entries[version][b"e"])
        change(commit)
        entries[version][b"e"] = json.dumps(commit, separators=(",", ":")).encode()

    return alter


def replace_entry(version: int, entry: bytes) -> Alteration:
    def alter(entries: Entries) -> None:
        entries[version][b"e"] = entry

    return alter


def swap(one: int, other: int) -> Alteration:
    def alter(entries: Entries) -> None:
        entries[one], entries[other] = entries[other], entries[one]

    return alter


def drop(version: int) -> Alteration:
    def alter(entries: Entries) -> None:
        del entries[version]

    return alter
