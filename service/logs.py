"""Structured logs: one JSON line a record, with no secret in it."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from functools import cache
from typing import Any, BinaryIO

import msgspec
import structlog
from structlog.typing import FilteringBoundLogger, WrappedLogger

REDACTED = "[redacted]"
_SECRETS = ("authorization", "token", "seed", "salt", "spice", "secret", "password", "idempotency")
_encoder = msgspec.json.Encoder(enc_hook=str)


def configure(level: str = "info", stream: BinaryIO | None = None) -> None:
    """For a whole process; what other libraries log comes out in the same shape."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    target = stream or sys.stderr.buffer
    structlog.configure(
        processors=[structlog.processors.add_log_level, *_FINISH],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.BytesLoggerFactory(target),
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [_Handler(target)]
    root.setLevel(max(number, logging.WARNING))


def logger(**bound: Any) -> FilteringBoundLogger:
    """Finds the configuration at its first line."""
    made: FilteringBoundLogger = structlog.get_logger(**bound)
    return made


def redact_secrets(
    logger: WrappedLogger, method: str, record: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    for name in record:
        if _names_a_secret(name):
            record[name] = REDACTED
    return record


@cache
def _names_a_secret(name: str) -> bool:
    return any(secret in name.lower() for secret in _SECRETS)


def _encode_line(logger: WrappedLogger, method: str, record: MutableMapping[str, Any]) -> bytes:
    return _encoder.encode(record)


_FINISH: list[structlog.typing.Processor] = [
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    redact_secrets,
    _encode_line,
]


class _Handler(logging.Handler):
    """Records of the standard library's loggers."""

    def __init__(self, target: BinaryIO) -> None:
        super().__init__()
        self._logger = structlog.BytesLogger(target)

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower()
        line: Any = {"event": record.getMessage(), "level": level, "logger": record.name}
        line["exc_info"] = record.exc_info
        for processor in _FINISH:
            line = processor(self._logger, level, line)
        self._logger.msg(line)
