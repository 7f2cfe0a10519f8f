"""JSON bodies, read with more care than the standard library takes."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from flask import Request

from service.api.media_types import JSON
from service.api.problems import Problem

LARGEST_BODY = 16 * 1024
EMPTY = "the body is empty; send a JSON object with Content-Type: application/json"
_TOO_LARGE = "a number is too large"


def read_json(request: Request) -> object:
    """What the request carries. Raises Problem."""
    if has_no_body(request):
        raise Problem("bad_json", EMPTY)
    _check_type(request)
    length = _check_length(request.content_length)
    raw = request.environ["wsgi.input"].read(length)
    if len(raw) < length:
        raise Problem("bad_request", "the body is shorter than its Content-Length; send all of it")
    return parse_json(raw)


def has_no_body(request: Request) -> bool:
    """Neither of some length nor in chunks."""
    return not request.content_length and "HTTP_TRANSFER_ENCODING" not in request.environ


def parse_json(raw: bytes) -> object:
    """Raises Problem."""
    try:
        text = raw.decode()
        if not text.strip():
            raise Problem("bad_json", EMPTY)
        document = _decoder.decode(text)
        if "\\u" in text:
            _refuse_surrogates(document)
    except UnicodeDecodeError:
        raise Problem("bad_json", "the body is not UTF-8") from None
    except RecursionError:
        raise Problem("bad_json", "the body is nested too deeply") from None
    except ValueError as fault:
        raise Problem("bad_json", f"the body is no JSON: {fault}") from None
    return document


def _check_type(request: Request) -> None:
    if request.environ.get("CONTENT_TYPE") == JSON and "HTTP_CONTENT_ENCODING" not in request.environ:
        return
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != JSON or charset not in ("utf-8", "utf8"):
        raise Problem("unsupported_media_type", "send JSON in UTF-8, with Content-Type: application/json")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported_media_type", "send the body without a content encoding")


def _check_length(length: int | None) -> int:
    # A chunked body would be cut at the limit and then taken for whole.
    if length is None:
        raise Problem("length_required", "send a Content-Length; chunked bodies are not taken")
    if length > LARGEST_BODY:
        raise Problem("too_large", f"a body has at most {LARGEST_BODY} bytes")
    return length


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Problem("duplicate_key", "a member is there twice")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise Problem("bad_json", f"{name} is no JSON")


def _parse_int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise Problem("bad_json", _TOO_LARGE) from None


def _parse_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Problem("bad_json", _TOO_LARGE)
    return number


def _refuse_surrogates(document: object) -> None:
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem("lone_surrogate", "a text holds half a surrogate pair") from None


_decoder = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_constant=_refuse_constant,
    parse_float=_parse_float,
    parse_int=_parse_int,
)
