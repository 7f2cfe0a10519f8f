"""What `verifier/verify.py` says of a game."""

from __future__ import annotations

from typing import Any

from events.chain import UNHASHED
from verifier.verify import dump, verify_lines

Raws = list[dict[str, Any]]


def second_opinion(raws: Raws) -> tuple[bool, str]:
    """Whether it holds, and what is said of it."""
    return verify_lines(None, [dump(raw) for raw in raws])


def is_fair(raws: Raws) -> bool:
    """Whether it holds; the log is one that was stored or exported."""
    bare = [{name: part for name, part in raw.items() if name not in UNHASHED} for raw in raws]
    holds, said = second_opinion(bare)
    assert holds, said
    return holds
