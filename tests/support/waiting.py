"""Waiting for a condition instead of sleeping for a time."""

import time
from collections.abc import Callable

# Far longer than anything takes: a slow or busy machine is no fault, and only a failure waits it out.
PATIENCE = 180.0


def wait_until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {PATIENCE} s"
        time.sleep(0.01)
