"""Text for a terminal that somebody else may have written."""

from __future__ import annotations

import os
import sys

LONGEST_TEXT = 1_200


def escape(text: str) -> str:
    """On one line, shortened, and without what a terminal obeys: controls, changes of direction."""
    shown = text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    return "".join(letter if letter.isprintable() else _escape_letter(letter) for letter in shown)


def _escape_letter(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def print_line(text: str) -> None:
    """Whatever the terminal can show; a reader who has gone away is no fault."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:
        # Else the interpreter tries once more as it leaves, and complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
