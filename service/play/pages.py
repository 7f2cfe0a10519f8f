"""A part of a log, and whether it joins what its reader has."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from events.chain import GENESIS
from events.commit import Commit


class Page(Struct, frozen=True):
    """Commits after a version, and the hash of that version; "" where the log does not reach it."""

    place: str
    commits: Sequence[Commit]


def before(version: int) -> int:
    """The version to read after, so that the commit of this one comes along to be compared."""
    return max(0, version - 1)


def cut_page(commits: Sequence[Commit], after: int, limit: int) -> Page:
    """From commits that begin with the one of the version itself."""
    if not after:
        return Page(GENESIS, commits[:limit])
    return Page(commits[0].hash if commits else "", commits[1 : limit + 1])
