"""What `verifier/verify.py` and, where tiles lie out, the referee say of a game."""

from __future__ import annotations

from typing import Any

from events.chain import UNHASHED
from tests.referee.game import judge
from verifier.verify import dump, verify_lines

Raws = list[dict[str, Any]]


def second_opinion(raws: Raws) -> tuple[bool, str]:
    """Whether it holds, and what is said of it."""
    return verify_lines(None, [dump(raw) for raw in raws])


def is_fair(raws: Raws) -> bool:
    """By everybody who knows its book; the log is one that was stored or exported."""
    bare = [{name: part for name, part in raw.items() if name not in UNHASHED} for raw in raws]
    tiles = raws[0]["events"][0]["options"].get("tiles")
    holds, said = second_opinion(bare)
    assert holds, said
    return not tiles or judge(bare).over
