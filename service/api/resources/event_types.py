"""The vocabulary of the log, for whoever reads it without this contract at hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from events.commit import FORMAT
from service.api.access import ANYBODY
from service.api.calls import Call
from service.api.named_schemas import REF, union_schemas
from service.api.operation import operation
from service.api.option_schemas import DIALECT
from service.api.replies import Reply

Json = dict[str, Any]


class EventType(Struct, frozen=True):
    """`version` is the format of the commits that hold it: events of an earlier one are lifted when read."""

    type: str
    version: int
    json_schema: Annotated[Json, Meta(description="A JSON Schema without references.")] = field(name="schema")


class EventTypes(Struct, frozen=True):
    event_types: tuple[EventType, ...]


@operation("GET /v1/event-types", "Every type of event as a JSON Schema", EventTypes, access=ANYBODY)
def list_event_types(call: Call[None]) -> Reply:
    return Reply(_event_types())


@cache
def _event_types() -> EventTypes:
    components = union_schemas()
    types = components["Event"]["discriminator"]["mapping"]
    return EventTypes(tuple(_describe_event(type, ref, components) for type, ref in types.items()))


def _describe_event(type: str, ref: str, components: Mapping[str, Json]) -> EventType:
    return EventType(type, FORMAT, {"$schema": DIALECT, **_write_out({"$ref": ref}, components)})


def _write_out(schema: Any, components: Mapping[str, Json]) -> Any:
    """With what it refers to in place of references, so that it can stand anywhere."""
    if isinstance(schema, list):
        return [_write_out(part, components) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _write_out(components[schema["$ref"].removeprefix(REF.format(name=""))], components)
    return {name: _write_out(part, components) for name, part in schema.items() if name != "discriminator"}
