"""Which functions of the product are called while something happens, in their order."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[2]
PRODUCT = tuple(f"{ROOT / package}/" for package in ("events", "rules", "service", "workers"))


@contextmanager
def trace_calls() -> Iterator[list[str]]:
    """Names such as `service.games.games.Games.choose`, of this thread alone."""
    called: list[str] = []

    def note_call(frame: FrameType, what: str, argument: object) -> None:
        code = frame.f_code
        if what == "call" and code.co_filename.startswith(PRODUCT):
            module = Path(code.co_filename).relative_to(ROOT).with_suffix("")
            called.append(".".join((*module.parts, code.co_qualname)))

    before = sys.getprofile()
    sys.setprofile(note_call)
    try:
        yield called
    finally:
        sys.setprofile(before)
