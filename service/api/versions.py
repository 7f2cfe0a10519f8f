"""Waiting until a game has come as far as the caller knows it has."""

from __future__ import annotations

from time import monotonic
from typing import Any

from service.api.calls import Call
from service.play.snapshots import Snapshot, UnknownVersion


def await_version(call: Call[Any], game: str) -> Snapshot:
    """The game at `min_version` or later. Raises UnknownGame, and UnknownVersion when the time is over."""
    games, least = call.services.games, call.query["min_version"]
    snapshot = games.snapshot(game)
    if snapshot.version < least and call.query["wait"]:
        snapshot = _wait(call, game, least, monotonic() + call.query["wait"])
    if snapshot.version < least:
        raise UnknownVersion(snapshot.version)
    return snapshot


def _wait(call: Call[Any], game: str, least: int, end: float) -> Snapshot:
    games, doorbell = call.services.games, call.services.streams.doorbell
    with doorbell.listen(game, call.network) as listener:
        while (snapshot := games.snapshot(game)).version < least:
            if not doorbell.is_open or monotonic() >= end:
                break
            listener.wait(end - monotonic())
    return snapshot


def read_version(text: str) -> int:
    """From an address. Raises UnknownVersion for what is no number."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10):
        raise UnknownVersion
    return int(text)
