"""Adds examples to the contract, collected from the service's tests by `make examples`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from service.analysis.thinking import TASK_EXAMPLE
from service.http.headers import JSON, NDJSON, SSE
from service.http.operation import Operation
from service.http.problems import PROBLEM_JSON
from service.http.streaming import frame_lines

# What works for every player, before what was taken from a test, whose game is nowhere else.
_FIRST = {"createTicket": {"me": True}}
_REF = "#/components/examples/{name}"
Json = dict[str, Any]


class Examples(Struct, frozen=True):
    """Holds examples by operation, or by code for problems, and by media type."""

    requests: Mapping[str, Mapping[str, Any]] = {}
    replies: Mapping[str, Mapping[str, Any]] = {}
    problems: Mapping[str, Mapping[str, Any]] = {}


@cache
def read_examples() -> Examples:
    """Return the stored examples."""
    return msgspec.json.decode(
        files("service.http.openapi").joinpath("examples.json").read_bytes(), type=Examples
    )


def add_examples(document: Json, operations: Iterable[Operation], examples: Examples) -> None:
    """Add the examples to the components, each once, and refer to it where it fits."""
    components: Json = {}
    # Operations that reply with the same thing share the example of the first of them.
    shown_by: dict[Any, str] = {}
    for operation in operations:
        shown_by.setdefault(operation.replies.get(JSON, operation.id), operation.id)
        described = document["paths"][operation.path][operation.method.lower()]
        for media, body in examples.requests.get(operation.id, {}).items():
            content = described["requestBody"]["content"][media]
            if operation.id in _FIRST:
                _refer(components, content, f"{operation.id}-first-request", _FIRST[operation.id])
            _refer(components, content, f"{operation.id}-request", body)
        for media, content in described["responses"][str(operation.status)].get("content", {}).items():
            shown = shown_by[operation.replies[JSON]] if media == JSON else operation.id
            for name, value in _reply_examples(shown, media, examples):
                _refer(components, content, name, value)
        if "202" in described["responses"]:
            _refer(components, described["responses"]["202"]["content"][JSON], "later", TASK_EXAMPLE)
        _add_problems(components, described["responses"], operation.error_codes, examples.problems)
    document["components"]["examples"] = dict(sorted(components.items()))


def _reply_examples(operation: str, media: str, examples: Examples) -> Iterable[tuple[str, Any]]:
    replies = examples.replies.get(operation, {})
    form = "" if media == "application/json" else f"-{media.rpartition('/')[2]}"
    if media == SSE and NDJSON in replies:
        yield f"{operation}{form}", frame_lines(replies[NDJSON])
    elif media in replies:
        yield f"{operation}{form}", replies[media]


def _add_problems(
    components: Json, responses: Json, codes: Iterable[str], problems: Mapping[str, Mapping[str, Any]]
) -> None:
    for code in codes:
        for problem in problems.get(code, {}).values():
            content = responses[str(problem["status"])]["content"][PROBLEM_JSON]
            _refer(components, content, f"{code}", problem)


def _refer(components: Json, content: Json, name: str, value: Any) -> None:
    """Refer to an example by its name, or by that of an equal one."""
    known = next((other for other, example in components.items() if example["value"] == value), name)
    components[known] = {"value": value}
    content.setdefault("examples", {})[known] = {"$ref": _REF.format(name=known)}
