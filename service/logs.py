"""Structured logs: one line of JSON a record, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any, BinaryIO

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger, WrappedLogger

REDACTED = "[redacted]"
_SECRETS = ("authorization", "token", "seed", "salt", "spice", "secret", "password", "idempotency")
_encoder = msgspec.json.Encoder(enc_hook=str)


def configure(level: str = "info", stream: BinaryIO | None = None) -> None:
    """Configure the logs of this process; records of other libraries get the same format."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    target: Any = LossyStream(stream or sys.stderr.buffer)
    structlog.configure(
        processors=[encode_record],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.BytesLoggerFactory(target),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [_Handler(target)]
    root.setLevel(max(number, logging.WARNING))


class LossyStream:
    """Drops lines that cannot be written, as on a full disk: no request may fail because of its log line."""

    def __init__(self, stream: BinaryIO) -> None:
        # Bypass the buffer, which would try to write a failed line again and again.
        self._stream = getattr(stream, "raw", stream)

    def write(self, line: bytes) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(line)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def logger(**bound: Any) -> FilteringBoundLogger:
    """Return a logger that reads the configuration when it writes its first line."""
    made: FilteringBoundLogger = structlog.get_logger(**bound)
    return made


def redact_secrets(record: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace the values of fields whose names look like a secret."""
    for name in record:
        if _is_secret(name):
            record[name] = REDACTED
    return record


@cache
def _is_secret(name: str) -> bool:
    return any(secret in name.lower() for secret in _SECRETS)


def encode_record(logger: WrappedLogger, method: str, record: MutableMapping[str, Any]) -> bytes:
    """Return the line for a record. Done in one step, because requests may write one each."""
    record["level"] = method
    record["timestamp"] = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if "exc_info" in record:
        record = structlog.processors.format_exc_info(logger, method, record)
    return _encoder.encode(redact_secrets(record))


class _Handler(logging.Handler):
    """Writes records of the standard library's loggers."""

    def __init__(self, target: BinaryIO) -> None:
        super().__init__()
        self._logger = structlog.BytesLogger(target)

    def emit(self, record: logging.LogRecord) -> None:
        line = {"event": record.getMessage(), "logger": record.name, "exc_info": record.exc_info}
        self._logger.msg(encode_record(self._logger, record.levelname.lower(), line))
