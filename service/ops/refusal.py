"""How a start is refused: one line for the operator, and no traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from service.config import Misconfigured


def say(text: str) -> None:
    print(f"croupier: {text}", file=sys.stderr, flush=True)


@contextmanager
def exit_if_misconfigured(code: int = 1) -> Iterator[None]:
    try:
        yield
    except Misconfigured as problem:
        say(str(problem))
        raise SystemExit(code) from None
