"""What the frames of a stream hold, as the contract says it."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from service.api.media_types import JSON

Json = dict[str, Any]
# How long a browser waits before it comes back: the first frame of every stream says it.
RETRY_AFTER = 2000


class StreamEnd(Struct, frozen=True):
    """The data of a stream's last frame, whose `event` says why it ends.

    `over`: nothing more will come. `limit`: these are as many as were asked for. `bye`: the server goes away;
    come back with the last id. `reset`: the log does not go on from where you are; begin after `version`.
    """

    version: int


class MyStreamEnd(Struct, frozen=True):
    """The data of the last frame of a player's stream, whose `event` says why it ends.

    `limit`: these are as many as were asked for. `bye`: the server goes away, or the token has ended; come
    back with the last id. `reset`: the events after yours are no longer kept; begin anew after `next`.
    """

    next: str


class Ending(Struct, frozen=True):
    """How a stream ends; `name` is the member of its items that a frame has as its id."""

    data: type[Struct]
    events: tuple[str, ...]
    name: str


# By the schema of what a stream consists of.
ENDINGS = {
    "Commit": Ending(StreamEnd, ("over", "limit", "bye", "reset"), "version"),
    "MyEvent": Ending(MyStreamEnd, ("limit", "bye", "reset"), "id"),
}


def frame_schema(item: Json) -> Json:
    """Of a stream of such items, frame by frame; the first one says when to come back."""
    ending = ENDINGS[item["$ref"].rpartition("/")[2]]
    news = _object({"id": {"type": "string"}, "data": _json_text(item)}, "id", "data")
    end = {
        "id": {"type": "string"},
        "event": {"type": "string", "enum": list(ending.events)},
        "data": _json_text({"$ref": f"#/components/schemas/{ending.data.__name__}"}),
    }
    retry = _object({"retry": {"type": "integer", "const": RETRY_AFTER}}, "retry")
    return {"oneOf": [retry, news, _object(end, "event", "data")]}


def _json_text(schema: Json) -> Json:
    return {"type": "string", "contentMediaType": JSON, "contentSchema": schema}


def _object(properties: Json, *required: str) -> Json:
    closed = {"required": list(required), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}


def frame_lines(lines: str) -> str:
    """What a stream sends of these lines, up to a limit."""
    texts = lines.splitlines()
    items = [json.loads(line) for line in texts]
    ending = ENDINGS["Commit" if "commits" in items[0] or "hash" in items[0] else "MyEvent"]
    names = [item[ending.name] for item in items]
    frames = "".join(f"id: {name}\ndata: {line}\n\n" for name, line in zip(names, texts, strict=True))
    (member,) = ending.data.__struct_fields__
    end = json.dumps({member: names[-1]}, separators=(",", ":"))
    return f"retry: {RETRY_AFTER}\n\n{frames}event: limit\ndata: {end}\n\n"
