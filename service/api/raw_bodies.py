"""Bodies that are files, read whole and no larger than they may be."""

from __future__ import annotations

from flask import Request

from service import metrics
from service.api.connections import RequestTimeout
from service.api.malformed_requests import INCOMPLETE
from service.api.problems import Problem


def read_raw(request: Request, media: str, most: int) -> bytes:
    """Raises Problem."""
    _check_type(request, media)
    length = request.content_length
    if length is None:
        raise Problem("length_required", "send a Content-Length; chunked bodies are not taken")
    if length > most:
        raise Problem("too_large", f"a file has at most {most} bytes")
    raw = _read(request, length)
    if len(raw) < length:
        raise Problem("bad_request", "the body is shorter than its Content-Length; send all of it")
    return raw


def _read(request: Request, length: int) -> bytes:
    try:
        return bytes(request.environ["wsgi.input"].read(length))
    except RequestTimeout:
        metrics.count_limit_hit("incomplete")
        raise Problem("request_timeout", INCOMPLETE) from None


def _check_type(request: Request, media: str) -> None:
    if request.mimetype != media:
        raise Problem("unsupported_media_type", f"send the file with Content-Type: {media}")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported_media_type", "send the body without a content encoding")
