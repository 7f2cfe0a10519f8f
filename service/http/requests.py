"""Reads and validates request bodies and query strings.

Loaded before gevent has patched anything: nothing of the service's may be imported here but connections.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, NoReturn

from flask import Request
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine, ParseException
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MultiDict

from events.text import Text
from service import metrics
from service.http.bounds import MOST_MEMBERS, find_oversize
from service.http.fields import limit_faults, pointer_step, put_plainly
from service.http.headers import JSON, LONGEST_PARSED, is_short
from service.http.hooks import STANDARD_HEADERS
from service.http.languages import LANGUAGE
from service.http.problems import Fault, Problem, say_fault, to_response
from service.http.server.connections import BadHost, RequestTimeout
from service.languages.catalogue import ENGLISH, LANGUAGES

# A schema may say another one: `largest_body`.
LARGEST_BODY = 16 * 1024
EMPTY = Text("The body is empty. Send a JSON object with `Content-Type: application/json`.")
_TOO_LARGE = Text("a number is too large")


def read_json(request: Request, most: int = LARGEST_BODY) -> object:
    """Return the JSON document in the body, of at most so many bytes. Raises Problem."""
    if has_no_body(request):
        raise Problem("bad_json", EMPTY)
    _check_type(request)
    length = _check_length(request.content_length, most)
    raw = request.environ["wsgi.input"].read(length)
    if len(raw) < length:
        raise Problem("bad_request", "The body is shorter than its `Content-Length`. Send all of it.")
    return parse_json(raw)


def has_no_body(request: Request) -> bool:
    """Return whether the request has no body: neither a length nor chunks."""
    return not request.content_length and "HTTP_TRANSFER_ENCODING" not in request.environ


def parse_json(raw: bytes) -> object:
    """Return the JSON document. Raises Problem for anything that two parsers could read differently."""
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
    except json.JSONDecodeError as fault:
        raise Problem(
            "bad_json", Text("The body is not valid JSON: {fault}", fault=explain_json(fault))
        ) from None
    except ValueError:
        # Python reads no whole number of more than 4,300 digits.
        raise Problem("bad_json", _TOO_LARGE) from None
    return document


# What Python says of a document; others are sent as they are.
_JSON_FAULTS = (
    Text("Expecting value"),
    Text("Expecting property name enclosed in double quotes"),
    Text("Expecting ',' delimiter"),
    Text("Expecting ':' delimiter"),
    Text("Unterminated string starting at"),
    Text("Invalid control character at"),
    Text("Invalid \\escape"),
    Text("Invalid \\uXXXX escape"),
    Text("Extra data"),
    Text("Illegal trailing comma before end of object"),
    Text("Illegal trailing comma before end of array"),
)


def explain_json(fault: json.JSONDecodeError) -> str:
    """Return what is wrong with a document, and where."""
    return Text(
        "{what}: line {line} column {column} (char {place})",
        what=Text(fault.msg),
        line=fault.lineno,
        column=fault.colno,
        place=fault.pos,
    )


def _check_type(request: Request) -> None:
    """Raise Problem unless the body is JSON in UTF-8, without a content encoding."""
    if request.environ.get("CONTENT_TYPE") == JSON and "HTTP_CONTENT_ENCODING" not in request.environ:
        return
    _check_content_type_length(request)
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != JSON or charset not in ("utf-8", "utf8"):
        raise Problem("unsupported_media_type", "Send JSON in UTF-8, with `Content-Type: application/json`.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported_media_type", "Send the body without a `Content-Encoding`.")


def _check_length(length: int | None, most: int) -> int:
    """Return the length of the body. Raises Problem if it is missing or too large."""
    # A chunked body would be cut at the limit and then taken for whole.
    if length is None:
        raise Problem("length_required", "Send a `Content-Length`. Chunked bodies are not accepted.")
    if length > most:
        raise Problem("too_large", Text("The body must have at most {most} bytes.", most=most))
    return length


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object. Raises Problem if two have one name."""
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Problem("duplicate_key", Text("The key `{name}` is in one object twice.", name=twice[:40]))
    return members


def _refuse_constant(name: str) -> NoReturn:
    """Raise Problem for NaN and Infinity."""
    raise Problem("bad_json", Text("`{name}` is not valid JSON.", name=name))


def _parse_float(digits: str) -> float:
    """Return a number. Raises Problem if it is too large."""
    number = float(digits)
    if math.isinf(number):
        raise Problem("bad_json", _TOO_LARGE)
    return number


def _refuse_surrogates(document: object) -> None:
    """Raise Problem for half of a surrogate pair."""
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem("lone_surrogate", "A string in the body contains half of a surrogate pair.") from None


_decoder = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_constant=_refuse_constant,
    parse_float=_parse_float,
)


INCOMPLETE = Text("The request did not arrive completely in time. Send it again.")
_REFUSALS = {
    LimitRequestLine: Problem("uri_too_long", "The URL is too long."),
    LimitRequestHeaders: Problem(
        "headers_too_large", "The request has too many headers, or they are too long."
    ),
    RequestTimeout: Problem("request_timeout", INCOMPLETE),
    BadHost: Problem("bad_request", "A request in HTTP/1.1 must have exactly one `Host` header."),
}
_NO_HTTP = Problem("bad_request", "The server cannot read this as an HTTP/1.1 request.")


def encode_refusal(fault: ParseException, more: tuple[tuple[str, str], ...] = ()) -> bytes:
    """Return the whole response as bytes; headers in `more` replace the standard ones."""
    return _encode(_REFUSALS.get(type(fault), _NO_HTTP), more)


@cache
def _encode(problem: Problem, more: tuple[tuple[str, str], ...]) -> bytes:
    """Return a problem as the bytes of a response."""
    reply = to_response(problem)
    status = HTTPStatus(problem.status)
    usual = [header for header in STANDARD_HEADERS if header[0] not in dict(more)]
    headers = [*reply.headers, *usual, *more, ("Connection", "close")]
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode() + reply.get_data()


def read_raw(request: Request, media: str, most: int) -> bytes:
    """Return the body, a file of at most `most` bytes. Raises Problem."""
    _check_file_type(request, media)
    length = request.content_length
    if length is None:
        raise Problem("length_required", "Send a `Content-Length`. Chunked bodies are not accepted.")
    if length > most:
        raise Problem("too_large", Text("The file must have at most {most} bytes.", most=most))
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


def _check_content_type_length(request: Request) -> None:
    if not is_short(request, "CONTENT_TYPE"):
        raise Problem(
            "unsupported_media_type",
            Text("`Content-Type` must have at most {most} characters", most=LONGEST_PARSED),
        )


def _check_file_type(request: Request, media: str) -> None:
    _check_content_type_length(request)
    if request.mimetype != media:
        raise Problem(
            "unsupported_media_type", Text("Send the file with `Content-Type: {media}`.", media=media)
        )
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("unsupported_media_type", "Send the body without a `Content-Encoding`.")


Given = Mapping[str, Any]
# Takes the document as it was sent, and as much of it as fits the schema.
BodyFaults = Callable[[object, Given], list[Fault]]


def no_more_faults(document: object, readable: Given) -> list[Fault]:
    return []


def body_reader(
    kind: type[Schema], body_faults: BodyFaults = no_more_faults, is_optional: bool = False
) -> Callable[[Request], Given]:
    """Return the function that reads a body; no body is an empty object when it is optional.

    Raises TypeError if a list of the schema may have any length.
    """
    schema = kind()
    find_oversize(schema, {})
    most = getattr(kind, "largest_body", LARGEST_BODY)

    def read_body(request: Request) -> Given:
        document = {} if is_optional and has_no_body(request) else read_json(request, most)
        return load_body(schema, document, body_faults)

    return read_body


def load_body(schema: Schema, document: object, body_faults: BodyFaults = no_more_faults) -> Given:
    """Return what the schema makes of the document. Raises Problem that lists the faults.

    What is too large is refused before anything is loaded.
    """
    if not isinstance(document, dict):
        raise bad_body([Fault(Text("must be an object, not {given}", given=name_kind(document)), "")])
    oversize = find_oversize(schema, document)
    if oversize:
        raise bad_body(oversize)
    with limit_faults() as budget:
        try:
            given: Given = schema.load(document)
        except ValidationError as refusal:
            faults = _list_faults(refusal, document, body_faults)
            raise bad_body(faults, budget.unexplained) from None
    return given


def _list_faults(refusal: ValidationError, document: Any, body_faults: BodyFaults) -> list[Fault]:
    faults = [Fault(detail, pointer) for pointer, detail in _flatten(refusal.messages, "")]
    fitting = refusal.valid_data
    return [*faults, *body_faults(document, fitting)] if isinstance(fitting, dict) else faults


def bad_body(faults: list[Fault], unexplained: int = 0) -> Problem:
    """Return the problem; its detail names the first fault, as many clients show nothing else.

    `unexplained` is the number of faults that were found beside these.
    """
    return Problem("invalid_body", say_fault(faults[0]), errors=faults, more=unexplained)


def name_kind(document: object) -> str:
    """Return what JSON calls it."""
    if document is None or isinstance(document, bool):
        return "null" if document is None else str(document).lower()
    if isinstance(document, list):
        return Text("an array")
    return Text("a string") if isinstance(document, str) else Text("a number")


def query_reader(kind: type[Schema]) -> Callable[[Request], Given]:
    schema = kind()
    # Most callers send no query; the result for that is computed once, unless something is required.
    defaults: Given | None = None if schema.validate({}) else schema.load({})

    def read_query(request: Request) -> Given:
        if defaults is not None and not request.query_string:
            return defaults
        return load_query(schema, request.args)

    return read_query


def load_query(schema: Schema, arguments: MultiDict[str, str]) -> Given:
    """Return what the schema makes of the query. Raises Problem that lists the faults."""
    if len(arguments) > MOST_MEMBERS:
        first = next(iter(arguments))
        raise bad_query(
            [Fault(Text("At most {most} parameters are allowed.", most=MOST_MEMBERS), parameter=first)]
        )
    unknown = find_language_fault(arguments)
    twice = [
        Fault("must be given once", parameter=name) for name in arguments if len(arguments.getlist(name)) > 1
    ]
    given: Given = {}
    faults: list[Fault] = []
    with limit_faults() as budget:
        try:
            given = schema.load({name: value for name, value in arguments.items() if name != LANGUAGE})
        except ValidationError as refusal:
            faults = [Fault(text, parameter=name[1:]) for name, text in _flatten(refusal.messages, "")]
    if faults or twice or unknown:
        raise bad_query(faults + twice + unknown, budget.unexplained)
    return given


def find_language_fault(arguments: MultiDict[str, str]) -> list[Fault]:
    """Return what is wrong with the parameter that every operation takes, in a list."""
    known = list(LANGUAGES)
    if arguments.get(LANGUAGE, ENGLISH.tag) in known:
        return []
    return [Fault(Text("must be one of {choices}", choices=", ".join(known)), parameter=LANGUAGE)]


def bad_query(faults: list[Fault], unexplained: int = 0) -> Problem:
    """Return the problem; its detail names the first fault, as many clients show nothing else."""
    return Problem("invalid_query", say_fault(faults[0]), errors=faults, more=unexplained)


def _flatten(messages: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Yield marshmallow's nested messages, each with its JSON pointer."""
    if isinstance(messages, str):
        yield pointer, put_plainly(messages)
    elif isinstance(messages, list):
        for message in messages:
            yield from _flatten(message, pointer)
    else:
        for name, inner in messages.items():
            yield from _flatten(inner, pointer + _pointer_step(name, pointer))


def _pointer_step(name: object, pointer: str) -> str:
    # Of an option marshmallow also says whether key or value is wrong; the document has no such step.
    if name == "_schema" or (name in ("key", "value") and pointer.rpartition("/")[0].endswith("/options")):
        return ""
    return pointer_step(name)
