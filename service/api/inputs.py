"""Bodies and query strings as their schemas make them, or a refusal with every fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import MultiDict

from service.api.bodies import has_no_body, read_json
from service.api.plain_words import put_plainly
from service.api.problems import Fault, Problem

Given = Mapping[str, Any]
# Takes the document as it was sent, and as much of it as fits the schema.
BodyFaults = Callable[[object, Given], list[Fault]]


def no_more_faults(document: object, readable: Given) -> list[Fault]:
    return []


def body_reader(
    kind: type[Schema], body_faults: BodyFaults = no_more_faults, is_optional: bool = False
) -> Callable[[Request], Given]:
    """Where it is optional, no body at all is an empty object."""
    schema = kind()

    def read_body(request: Request) -> Given:
        document = {} if is_optional and has_no_body(request) else read_json(request)
        return load_body(schema, document, body_faults)

    return read_body


def load_body(schema: Schema, document: object, body_faults: BodyFaults = no_more_faults) -> Given:
    """Raises Problem with every fault: those beyond the schema too."""
    if not isinstance(document, dict):
        raise bad_body([Fault(f"an object is expected, not {name_kind(document)}", "")])
    try:
        given: Given = schema.load(document)
    except ValidationError as refusal:
        raise bad_body(_list_faults(refusal, document, body_faults)) from None
    return given


def _list_faults(refusal: ValidationError, document: Any, body_faults: BodyFaults) -> list[Fault]:
    faults = [Fault(detail, pointer) for pointer, detail in _flatten(refusal.messages, "")]
    fitting = refusal.valid_data
    return [*faults, *body_faults(document, fitting)] if isinstance(fitting, dict) else faults


def bad_body(faults: list[Fault]) -> Problem:
    """The first fault is told at once: many look at nothing but the detail."""
    first = faults[0]
    where = f" at {first.pointer}" if first.pointer else ""
    return Problem("invalid_body", f"the body does not fit its schema{where}: {first.detail}", errors=faults)


def name_kind(document: object) -> str:
    """As JSON calls it."""
    if document is None or isinstance(document, bool):
        return "null" if document is None else str(document).lower()
    if isinstance(document, list):
        return "an array"
    return "a text" if isinstance(document, str) else "a number"


def query_reader(kind: type[Schema]) -> Callable[[Request], Given]:
    schema = kind()
    # What most callers send is nothing; that is read once and for all, unless something is required.
    defaults: Given | None = None if schema.validate({}) else schema.load({})

    def read_query(request: Request) -> Given:
        if defaults is not None and not request.query_string:
            return defaults
        return load_query(schema, request.args)

    return read_query


def load_query(schema: Schema, arguments: MultiDict[str, str]) -> Given:
    """Raises Problem with every fault."""
    twice = [
        Fault("it is given twice", parameter=name) for name in arguments if len(arguments.getlist(name)) > 1
    ]
    try:
        given: Given = schema.load(arguments.to_dict())
        faults = []
    except ValidationError as refusal:
        given, faults = {}, [Fault(text, parameter=name[1:]) for name, text in _flatten(refusal.messages, "")]
    if faults or twice:
        raise bad_query(faults + twice)
    return given


def bad_query(faults: list[Fault]) -> Problem:
    names = ", ".join(sorted({fault.parameter or "" for fault in faults}))
    told = f"in the query string this is not understood: {names}; {faults[0].detail}"
    return Problem("invalid_query", told, errors=faults)


def _flatten(messages: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """marshmallow's nested messages as JSON pointers, all of them."""
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
    if name == "_schema" or (name in ("key", "value") and pointer.startswith("/options/")):
        return ""
    return "/" + str(name).replace("~", "~0").replace("/", "~1")
