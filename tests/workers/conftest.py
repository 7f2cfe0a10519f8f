"""A queue in memory, and signals as they were before a worker took them."""

import signal
from collections.abc import Iterator

import pytest
import redis

from tests.support.app import open_memory


@pytest.fixture
def fake() -> Iterator[redis.Redis]:
    """RQ's workers set handlers of their own in whatever process they run."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with open_memory() as client:
        yield client
    for number, handler in before.items():
        signal.signal(number, handler)
