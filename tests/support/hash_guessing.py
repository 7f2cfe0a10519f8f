"""Somebody who tries all values against every commitment and hash that is public."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from events.chain import digest, redact_commit
from events.commit import Commit, decode_raw, encode
from events.secrecy import commitment
from rules.state import State

A_COMMITMENT_OR_HASH = re.compile("[0-9a-f]{64}")


def guess_values(seen: str, values: Iterable[object], salts: Iterable[str]) -> list[object]:
    """The values that a bare hash, or one with one of these salts, betrays."""
    public, tried = {*A_COMMITMENT_OR_HASH.findall(seen)}, tuple(salts)
    return [value for value in values if not public.isdisjoint(_hashes(value, tried))]


def _hashes(value: object, salts: Iterable[str]) -> Iterator[str]:
    yield sha256(str(value).encode()).hexdigest()
    yield sha256(msgspec.json.encode(value)).hexdigest()
    yield from (commitment(salt, value) for salt in salts)


def guessable_salts(state: State) -> list[str]:
    """Made from what everybody knows: the seed's commitment, the game, running numbers."""
    known = [state.commitment, state.game, *(f"{number:x}" for number in range(state.drawn + 1))]
    spelt = [text.encode().hex() for text in known]
    return [text.zfill(32)[:32] for text in (*spelt, *known) if set(text) <= set("0123456789abcdef")]


def guess_plain_hash(commit: Commit, hidden: str, values: Iterable[object]) -> list[object]:
    """The values that give the commit's hash when they stand where the commitment stands."""
    form = decode_raw(encode(redact_commit(commit)))
    assert digest(form) == commit.hash
    return [value for value in values if digest(_replace_commitment(form, hidden, value)) == commit.hash]


def _replace_commitment(form: Any, hidden: str, value: object) -> Any:
    if isinstance(form, dict):
        same = form.keys() == {"hidden"} and form["hidden"] == hidden
        return (
            value if same else {name: _replace_commitment(item, hidden, value) for name, item in form.items()}
        )
    return [_replace_commitment(item, hidden, value) for item in form] if isinstance(form, list) else form
