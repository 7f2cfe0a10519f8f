"""The texts of the contract: of operations in `operations.yaml`, of properties in `properties.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")
Json = dict[str, Any]


class OperationText(Struct, frozen=True, array_like=True):
    """The summary of an operation, and a sentence that says when to call it."""

    summary: str
    when: str


class Group(Struct, frozen=True):
    """What the operations under one heading are for, and their texts in the order of the page."""

    about: str
    operations: Mapping[str, OperationText]


@cache
def read_groups() -> Mapping[str, Group]:
    """Return the groups of the reference, from top to bottom."""
    return _read("operations.yaml", dict[str, Group])


@cache
def operation_texts() -> Mapping[str, OperationText]:
    """Return the texts of all operations, by id, from top to bottom."""
    return {name: text for group in read_groups().values() for name, text in group.operations.items()}


def group_of(operation: str) -> str:
    """Return the heading that an operation is under; the last one for an operation without a text."""
    groups = read_groups()
    return next((name for name, group in groups.items() if operation in group.operations), [*groups][-1])


@cache
def read_descriptions() -> Mapping[str, str]:
    """Return the sentences, by property or by `Schema.property`."""
    return _read("properties.yaml", dict[str, str])


def _read(name: str, kind: type[T]) -> T:
    return msgspec.yaml.decode(files("service.http.openapi").joinpath(name).read_bytes(), type=kind)


def describe_properties(document: Json) -> None:
    """Add a description to each property that has none."""
    sentences = read_descriptions()
    for schema, name, described in find_properties(document):
        sentence = sentences.get(f"{schema}.{name}") or sentences.get(name)
        if sentence and "description" not in described:
            described["description"] = sentence


def find_properties(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Yield the properties of all schemas: the component that they are in, their name and their schema."""
    for name, schema in document["components"]["schemas"].items():
        yield from _find_in(name, schema)
    yield from _find_in("", document["paths"])


def _find_in(schema: str, part: Any) -> Iterator[tuple[str, str, Json]]:
    if isinstance(part, list):
        for item in part:
            yield from _find_in(schema, item)
    if not isinstance(part, dict):
        return
    for key, inner in part.items():
        if key == "properties" and isinstance(inner, dict):
            for name, described in inner.items():
                yield schema, name, described
        if key not in ("example", "examples"):
            yield from _find_in(schema, inner)
