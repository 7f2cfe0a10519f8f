"""Reads the text of a table as a reader does who has nothing else."""

from __future__ import annotations

import re

from msgspec import Struct

_MINE = re.compile(r"^Ask (\d+) is yours: ", re.M)
_OTHERS = re.compile(r"^Ask \d+ (is yours|waits for) ")


class OpenQuestion(Struct, frozen=True):
    """An ask that is mine, with its choices, as the text of a table tells them."""

    ask: int
    choices: tuple[str, ...]


def read_question(text: str) -> OpenQuestion | None:
    """Return what the text of a table asks of its reader; None if nothing."""
    found = _MINE.search(text)
    if found is None:
        return None
    choices = []
    for line in text[found.start() :].splitlines()[1:]:
        if _OTHERS.match(line):
            break
        choices.append(line.split(" ", 1)[0])
    return OpenQuestion(int(found[1]), tuple(choices))
