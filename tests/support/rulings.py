"""The entries of docs/rulings.md, as a program reads them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

RULINGS = Path(__file__).parents[2] / "docs" / "rulings.md"
ENTRY = re.compile(
    r"^- \*\*(?P<id>[A-Z0-9-]+)\*\* · `(?P<editions>[a-z, ]+)`.*\n  \*Gap:\*[^*]+\n  \*Ruling:\* ",
    re.MULTILINE,
)


def rulings() -> list[str]:
    return [entry["id"] for entry in ENTRY.finditer(RULINGS.read_text())]


@cache
def ruled_editions() -> dict[str, tuple[str, ...]]:
    """The editions that each ruling is for."""
    entries = ENTRY.finditer(RULINGS.read_text())
    return {entry["id"]: tuple(entry["editions"].split(", ")) for entry in entries}
