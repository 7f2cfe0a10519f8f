"""Where in a log a caller is: a version and, for those who want to be sure, the beginning of its hash."""

from __future__ import annotations

import re

from msgspec import Struct

# As much of a hash as we write; whoever has more of it may send more.
WRITTEN, FEWEST = 16, 8
HEAD = rf"[0-9a-f]{{{FEWEST},64}}"
MARK = re.compile(rf"([0-9]{{1,9}})(?:-({HEAD}))?", re.ASCII)


class Mark(Struct, frozen=True):
    """Versions are the same on every branch of a log that went back, hashes are not."""

    version: int
    head: str = ""

    def names(self, version: int, head: str) -> bool:
        return self.version == version and head.startswith(self.head)


def parse_mark(text: str) -> Mark | None:
    """`33` or `33-5f2a9c01`; None for anything else."""
    found = MARK.fullmatch(text)
    return Mark(int(found[1]), found[2] or "") if found else None


def write_mark(version: int | str, head: str) -> str:
    return f"{version}-{head[:WRITTEN]}"
