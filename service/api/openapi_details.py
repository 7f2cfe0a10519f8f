"""What the contract says of every operation alike: to whom, with which headers, and where to go on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from service.api.media_types import JSON, NDJSON, SSE
from service.api.operation import Operation
from service.api.response_headers import RESPONSE_HEADERS, header_names
from service.api.stream_frames import frame_schema
from service.api.tickets import PARAMETER

SERVERS = [{"url": "/", "description": "The server that hands out this document."}]
# Where whoever has the id of a game goes on.
AFTER_A_GAME = ("showTable", "choose", "showEvents", "takeSeat")
GAME = "$response.body#/id"
TOKENS = {"seat": "a seat's token", "player": "a player's token", PARAMETER: "for a stream a ticket"}
Json = dict[str, Any]


def add_details(document: Json, operations: Iterable[Operation]) -> None:
    operations = list(operations)
    document["servers"], document["tags"] = SERVERS, _describe_tags(document, operations)
    document["components"]["headers"] = RESPONSE_HEADERS
    for operation in operations:
        described = document["paths"][operation.path][operation.method.lower()]
        described["description"] = _describe(operation)
        for status, response in described["responses"].items():
            names = header_names(operation, int(status))
            response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        _add_links(document, described["responses"][str(operation.status)])
        _describe_sequences(described["responses"][str(operation.status)].get("content", {}))


def _describe_tags(document: Json, operations: Iterable[Operation]) -> list[Json]:
    """A tag says what the modules of its operations say of themselves."""
    texts: dict[str, list[str]] = {}
    for operation in operations:
        (tag,) = document["paths"][operation.path][operation.method.lower()]["tags"]
        text = " ".join((sys.modules[operation.handle.__module__].__doc__ or "").split())
        if text not in texts.setdefault(tag, []):
            texts[tag].append(text)
    return [{"name": tag, "description": " ".join(lines)} for tag, lines in texts.items()]


def _describe(operation: Operation) -> str:
    """The summary, and what follows from the rest of the declaration."""
    sentences = [f"{operation.summary}.", _describe_access(operation.access.security)]
    if operation.cached:
        sentences.append("Whoever sends the `ETag` of what they have in `If-None-Match` is spared a repeat.")
    if operation.repeatable:
        sentences.append("With an `Idempotency-Key` it is safe to repeat.")
    return " ".join(sentences)


def _describe_access(security: Iterable[Mapping[str, Any]]) -> str:
    tokens = [TOKENS[scheme] for needed in security for scheme in needed]
    if not tokens:
        return "Needs no token."
    known = " or ".join(tokens)
    return f"With {known}, or without any as a spectator." if {} in security else f"Needs {known}."


def _add_links(document: Json, response: Json) -> None:
    ref = response.get("content", {}).get(JSON, {}).get("schema", {}).get("$ref", "")
    schema = document["components"]["schemas"].get(ref.rpartition("/")[2], {})
    game = document["paths"]["/v1/games/{game}"]["get"]["parameters"][0]["schema"]
    if schema.get("properties", {}).get("id", {}).get("pattern") == game["pattern"]:
        response["links"] = {
            name: {"operationId": name, "parameters": {"game": GAME}} for name in AFTER_A_GAME
        }


def _describe_sequences(content: Json) -> None:
    """Lines and streams are text; what stands in each line or frame is said beside it."""
    if NDJSON in content:
        item = content[NDJSON]["schema"]
        text = {"type": "string", "description": "Lines; `x-itemSchema` says what they hold."}
        content[NDJSON] = {"schema": text, "x-itemSchema": item}
    if SSE in content:
        item = content[SSE]["schema"]
        text = {
            "type": "string",
            "description": "Frames; `x-itemSchema` says what they hold. Comments keep it open.",
        }
        content[SSE] = {"schema": text, "x-itemSchema": frame_schema(item)}
