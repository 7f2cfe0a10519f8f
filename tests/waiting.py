"""Waiting for a condition instead of sleeping for a time."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], what: str, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {seconds} s"
        time.sleep(0.01)
