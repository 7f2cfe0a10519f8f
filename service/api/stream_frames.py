"""What the frames of a stream hold, as the contract says it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from service.api.media_types import JSON

ENDS = ("over", "limit", "bye", "reset")
Json = dict[str, Any]


class StreamEnd(Struct, frozen=True):
    """The data of a stream's last frame, whose `event` says why it ends.

    `over`: nothing more will come. `limit`: these are as many as were asked for. `bye`: the server goes away;
    come back with the last id. `reset`: the log does not go on from where you are; begin after `version`.
    """

    version: int


def frame_schema(item: Json) -> Json:
    """Of a stream of such items, frame by frame."""
    news = _object({"id": {"type": "string"}, "data": _json_text(item)}, "id", "data")
    end = {
        "id": {"type": "string"},
        "event": {"type": "string", "enum": list(ENDS)},
        "data": _json_text({"$ref": f"#/components/schemas/{StreamEnd.__name__}"}),
    }
    return {"oneOf": [news, _object(end, "event", "data")]}


def _json_text(schema: Json) -> Json:
    return {"type": "string", "contentMediaType": JSON, "contentSchema": schema}


def _object(properties: Json, *required: str) -> Json:
    closed = {"required": list(required), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}


def frame_lines(lines: str) -> str:
    """What a stream sends of these lines, up to a limit."""
    numbered = list(enumerate(lines.splitlines(), 1))
    frames = "".join(f"id: {number}\ndata: {line}\n\n" for number, line in numbered)
    return f'retry: 2000\n\n{frames}event: limit\ndata: {{"version":{len(numbered)}}}\n\n'
