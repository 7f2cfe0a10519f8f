"""A log that is replaced under us, by a restore or a failover, leads away from what we know of it.

Each reading of a log from its first commit begins a branch, and whatever leads on from there belongs to it.
What is remembered beside the state, such as who holds which token, is good for its own branch alone.
"""

from __future__ import annotations

from itertools import count

from msgspec import Struct

from events.store import Unavailable

_numbers = count(1)


class BranchLost(Unavailable):
    """The log is not the one that this was to rest on. Nothing was done: it can be asked again."""


class Holder(Struct, frozen=True):
    """Who shows a token: the seat, and the branch whose log issued it or seats the player whose it is.

    `player` and `credential`, the hash of the token, are those of a player; a seat's own token has none.
    """

    seat: int
    branch: int
    player: str = ""
    credential: str = ""


def number_branch() -> int:
    """A number that no branch of this process has had."""
    return next(_numbers)


def check_branch(branch: int, wanted: int | None) -> None:
    """Raises BranchLost unless they are the same, or none is wanted."""
    if wanted not in (None, branch):
        raise BranchLost("the log was replaced by another")
