"""Commits to bytes and back."""

from __future__ import annotations

from typing import Any

import msgspec

from events.commit import FORMAT, Commit
from events.upcasting import UPCASTERS, Upcasters, upcast


class Unreadable(ValueError):
    """These bytes are no commit."""


# In the order of the fields: with its type in front an event is read in one pass. Hashes sort for themselves.
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Commit)


def encode(commit: Commit) -> bytes:
    return _encoder.encode(commit)


def decode(stored: bytes) -> Commit:
    commit = _decode_current(stored)
    return convert_raw(decode_raw(stored)) if commit is None else commit


def decode_raw(stored: bytes) -> dict[str, Any]:
    """The commit as it was written, before anything is lifted."""
    try:
        return msgspec.json.decode(stored, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(str(fault)) from fault


def convert_raw(raw: dict[str, Any], upcasters: Upcasters = UPCASTERS) -> Commit:
    try:
        if not min(upcasters, default=FORMAT) <= raw.get("format", 1) <= FORMAT:
            raise Unreadable(f"format {raw['format']} is unknown to this release")
        return msgspec.convert(upcast(raw, upcasters), Commit)
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError) as fault:
        raise Unreadable(str(fault)) from fault


def _decode_current(stored: bytes) -> Commit | None:
    """One pass for what nearly every commit is: written in today's format."""
    try:
        commit = _decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return commit if commit.format == FORMAT else None
