"""The vocabulary of the log, for whoever reads it without this contract at hand."""

from __future__ import annotations

import json
import re
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

_ANY_REF = re.escape(REF.format(name="")) + r"(\w+)"
Json = dict[str, Any]


class EventType(Struct, frozen=True):
    """`version` is the format of the commits that hold it: events of an earlier one are lifted when read."""

    type: str
    version: int
    json_schema: Annotated[Json, Meta(description="A JSON Schema with all that it refers to.")] = field(
        name="schema"
    )


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
    parts = _collect_parts(ref, components)
    schema = {"$schema": DIALECT, "$ref": ref, "$defs": parts}
    return EventType(type, FORMAT, _refer_within(schema))


def _collect_parts(ref: str, components: Mapping[str, Json]) -> dict[str, Json]:
    """What a reference leads to, and what that leads to."""
    parts: dict[str, Json] = {}
    waiting = [ref]
    while waiting:
        name = waiting.pop().rpartition("/")[2]
        if name not in parts:
            parts[name] = components[name]
            waiting += re.findall(_ANY_REF, json.dumps(components[name]))
    return parts


def _refer_within(schema: Json) -> Json:
    within: Json = json.loads(re.sub(_ANY_REF, r"#/$defs/\1", json.dumps(schema)))
    return within
