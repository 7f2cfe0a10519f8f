"""openapi.yaml, rendered from the schemas that validate and the types that are encoded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from events.commit import Commit
from service.api.game_schemas import prompt_schema, tile_schemas
from service.api.media_types import JSON
from service.api.operations import ANY, OPERATIONS, Operation
from service.api.parts import GAME_ID
from service.api.problems import CODES, PROBLEM_JSON, ProblemBody
from service.api.resources.audit import AuditReply
from service.api.resources.bots import Bots
from service.api.resources.choices import ChoiceReply
from service.api.resources.editions import Editions
from service.api.resources.events import EventsReply
from service.api.resources.games import GameReply, GamesReply
from service.api.resources.health import Health, Readiness
from service.api.resources.seats import SatReply
from service.api.schemas import NewGame
from service.play.replies import TableShown

FILE = Path("openapi.yaml")
REPLIES = (
    *(TableShown, Commit, ProblemBody, Editions, Bots, GameReply, GamesReply, SatReply),
    *(ChoiceReply, EventsReply, AuditReply, Health, Readiness),
)
HEADERS = {
    "Idempotency-Key": "The same key and body give the same reply; use a random one, such as a UUID.",
    "If-Match": "A table's ETag: refuse the answer when the table has changed since.",
    "If-None-Match": "An ETag: 304 while it is still good.",
    "Last-Event-ID": "Where a stream goes on; wins over `after`.",
}
TOKENS: dict[str, list[dict[str, list[str]]]] = {"": [], "may": [{}, {"seat": []}], "must": [{"seat": []}]}
TEXT = {"type": "string"}
ABOUT = """Las Vegas dice games. The table says who must answer what and lists every legal answer.
A game is a log of commits that everybody can check.

Whatever the server cannot read as HTTP gets `bad_request`, `uri_too_long` or `headers_too_large`."""


def main() -> int:
    FILE.write_bytes(rendered())
    print(f"wrote {FILE}")
    return 0


@cache
def rendered() -> bytes:
    return yaml.safe_dump(document(), sort_keys=False, allow_unicode=True, width=110).encode()


@cache
def document() -> dict[str, Any]:
    ours, plugins, about = version("croupier"), [MarshmallowPlugin()], {"description": ABOUT}
    spec = APISpec("Croupier", ours, "3.1.0", plugins=plugins, info=about)
    spec.components.security_scheme("seat", {"type": "http", "scheme": "bearer"})
    for name, component in _reply_components().items():
        spec.components.schema(name, component)
    for path, operations in _by_path(OPERATIONS).items():
        spec.path(path, operations={_method(one): _operation(one) for one in operations})
    plain: dict[str, Any] = json.loads(json.dumps(spec.to_dict()))
    _add_what_apispec_cannot_say(plain["components"]["schemas"])
    return {part: plain[part] for part in ("openapi", "info", "paths", "components")}


def _reply_components() -> dict[str, Any]:
    _, components = msgspec.json.schema_components(REPLIES, ref_template="#/components/schemas/{name}")
    # Commits go out without what serves retries, and already encoded.
    for name in ("key", "request"):
        del components["Commit"]["properties"][name]
    components["Commit"]["description"] = "An accepted command and the facts it caused."
    components["EventsReply"]["properties"]["commits"]["items"] = {"$ref": "#/components/schemas/Commit"}
    return components | _game_components(components)


def _game_components(components: dict[str, Any]) -> dict[str, Any]:
    """What a type cannot say, because the rulesets do: which prompts and which tiles there are."""
    for asking in ("AskShown", "Ask"):
        components[asking]["properties"]["prompt"] = {"$ref": "#/components/schemas/Prompt"}
    tile, tiles = tile_schemas()
    return {"Prompt": prompt_schema(), "TileShown": tile, **tiles}


def _add_what_apispec_cannot_say(schemas: dict[str, Any]) -> None:
    schemas["NewSeat"]["oneOf"] = [{"required": [kind]} for kind in ("name", "bot", "open")]
    schemas["NewSeat"]["dependentRequired"] = {"entropy": ["name"]}
    key = NewGame().fields["options"].key_field  # type: ignore[attr-defined]
    least_and_most, pattern = key.validators
    schemas["NewGame"]["properties"]["options"]["propertyNames"] = {
        "minLength": least_and_most.min,
        "maxLength": least_and_most.max,
        "pattern": pattern.regex.pattern,
    }


def _by_path(operations: Iterable[Operation]) -> dict[str, list[Operation]]:
    paths: dict[str, list[Operation]] = {}
    for operation in operations:
        paths.setdefault(operation.call.partition(" ")[2], []).append(operation)
    return paths


def _method(operation: Operation) -> str:
    return operation.call.partition(" ")[0].lower()


def _operation(operation: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [_tag(operation)],
        "parameters": _parameters(operation),
        "responses": _good(operation) | _refusals(operation.refusals),
        "security": TOKENS[operation.token],
    }
    if operation.body:
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": operation.body}}}
    return made


def _tag(operation: Operation) -> str:
    """The heading on the page: the first word of the path, and the root's own."""
    path = operation.call.partition(" ")[2]
    return path.split("/")[2] if path.startswith("/v1/") else "service"


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    if "{game}" in operation.call:
        shape = {**TEXT, "pattern": f"^{GAME_ID.pattern}$"}
        parameters.append({"name": "game", "in": "path", "required": True, "schema": shape})
    if "{name}" in operation.call:
        parameters.append({"name": "name", "in": "path", "required": True, "schema": TEXT})
    if operation.query:
        parameters.append({"in": "query", "schema": operation.query})
    return parameters + [
        {"name": name, "in": "header", "description": HEADERS[name], "schema": TEXT}
        for name in operation.headers
    ]


def _good(operation: Operation) -> dict[str, Any]:
    content = {media: {"schema": _ref(name)} for media, name in operation.content.items()}
    also = {str(status): {"description": text} for status, text in operation.also.items()}
    return {str(operation.status): {"description": operation.summary, "content": content}, **also}


def _refusals(codes: Iterable[str]) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(CODES[code], []).append(f"`{code}`")
    return {str(status): _refusal(status, named) for status, named in sorted(by_status.items())}


def _refusal(status: int, codes: list[str]) -> dict[str, Any]:
    content = {PROBLEM_JSON: {"schema": _ref("ProblemBody")}}
    return {"description": f"{HTTPStatus(status).phrase}: {', '.join(codes)}", "content": content}


def _ref(name: str) -> dict[str, Any]:
    return TEXT if name == ANY else {"$ref": f"#/components/schemas/{name}"}
