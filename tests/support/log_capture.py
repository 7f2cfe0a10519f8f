"""The log of a test: everything in it, and nothing left of it afterwards."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

import structlog

from service import logs


@contextmanager
def capture_log() -> Iterator[BytesIO]:
    """One JSON line a record."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = BytesIO()
    logs.configure("debug", stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
