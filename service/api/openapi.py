"""openapi.yaml, rendered from the declared operations, what validates them and the types they send."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from service.api.examples import add_examples, read_examples
from service.api.media_types import JSON
from service.api.openapi_details import add_details
from service.api.operation import Operation
from service.api.operations import OPERATIONS
from service.api.problems import CODES, PROBLEM_JSON, ProblemBody
from service.api.reply_schemas import reply_schemas
from service.api.routes import GAME_ID
from service.api.schemas import NewGame
from service.api.stream_frames import ENDINGS
from service.api.thinking import TaskShown
from service.api.tickets import PARAMETER
from service.api.variants import describe_variants
from service.players.credentials import PLAYER_ID
from service.tasks.tasks import TASK_ID

Json = dict[str, Any]
FILE = Path("openapi.yaml")
TEXT = {"type": "string"}
PATH_VARIABLES: Mapping[str, Json] = {
    "game": {**TEXT, "pattern": f"^{GAME_ID.pattern}$"},
    "player": {**TEXT, "pattern": f"^{PLAYER_ID.pattern}$"},
    "task": {**TEXT, "pattern": f"^{TASK_ID}$"},
    "version": {"type": "integer", "minimum": 1},
    "code": {"$ref": "#/components/schemas/ProblemCode"},
}
# What every server has; where there is none such, it is said where to find one.
PATH_EXAMPLES: Mapping[str, Json] = {
    "game": {"description": "The id of a game: from the reply that made it, or from `GET /v1/games`."},
    "table": {"description": "The id of a game."},
    "player": {"description": "The id of a player: from `POST /v1/players`, or from the seats of a game."},
    "task": {"description": "The id of a task: from a reply with 202."},
    "version": {"description": "From 1 to the game's `version`.", "example": 1},
    "code": {"example": "unknown_game"},
    "build": {"example": "0"},
    "folder": {"example": "app"},
    "name": {"example": "start.js"},
}
ABOUT = """Las Vegas dice games. The table says who must answer what and lists every legal answer.
A game is a log of commits that everybody can check.

Whatever the server cannot read as HTTP gets `bad_request`, `uri_too_long` or `headers_too_large`, and what
does not come whole in time `request_timeout`."""
BEARER = {"type": "http", "scheme": "bearer"}
SCHEMES = {
    "seat": {**BEARER, "description": "The token of a seat, shown to whoever took it; good in its game."},
    "player": {
        **BEARER,
        "description": "The token of a player, from `POST /v1/players`; good in every game where they sit.",
    },
    PARAMETER: {
        "type": "apiKey",
        "in": "query",
        "name": PARAMETER,
        "description": "For a stream, once, from `POST /v1/tickets`: browsers cannot send a header there.",
    },
}
Schemas = Mapping[Any, Json]


def main() -> int:
    FILE.write_bytes(render_contract())
    print(f"wrote {FILE}")
    return 0


@cache
def render_contract() -> bytes:
    return yaml.safe_dump(describe(OPERATIONS), sort_keys=False, allow_unicode=True, width=110).encode()


def describe(operations: Sequence[Operation]) -> Json:
    """The whole document, as plain values."""
    ours, plugin, about = version("croupier"), MarshmallowPlugin(), {"description": ABOUT}
    spec = APISpec("Croupier", ours, "3.1.0", plugins=[plugin], info=about)
    assert plugin.converter
    plugin.converter.add_attribute_function(describe_variants)  # type: ignore[no-untyped-call]
    for name, scheme in SCHEMES.items():
        spec.components.security_scheme(name, scheme)
    types = [kind for operation in operations for kind in operation.replies.values()]
    ends = [ending.data for ending in ENDINGS.values()]
    schemas, components = reply_schemas([*types, ProblemBody, *ends, TaskShown])
    for name, component in components.items():
        spec.components.schema(name, component)
    for operation in operations:
        spec.path(
            operation.path, operations={operation.method.lower(): _describe_operation(operation, schemas)}
        )
    plain: Json = json.loads(json.dumps(spec.to_dict()))
    _add_what_apispec_cannot_say(plain["components"]["schemas"])
    _say_defaults(schema for name, schema in plain["components"]["schemas"].items() if name not in components)
    add_details(plain, operations)
    add_examples(plain, operations, read_examples())
    return {part: plain[part] for part in ("openapi", "info", "servers", "tags", "paths", "components")}


def _add_what_apispec_cannot_say(schemas: Json) -> None:
    only_one = {"minContains": 0, "maxContains": 1, "contains": {"required": ["player"]}}
    schemas["NewGame"]["properties"]["seats"] |= only_one
    schemas["NewTicket"] |= {"minProperties": 1, "maxProperties": 1}
    either = {"if": {"required": ["game"]}, "then": {"not": {"required": ["table"]}}}
    schemas["AdviceWanted"] |= {**either, "else": {"required": ["table", "seat"]}}
    schemas["NewGame"]["properties"]["options"]["propertyNames"] = _describe_option_names()


def _describe_option_names() -> Json:
    key = NewGame().fields["options"].key_field  # type: ignore[attr-defined]
    length, form = key.validators
    return {"minLength": length.min, "maxLength": length.max, "pattern": form.regex.pattern}


def _say_defaults(bodies: Iterable[Json]) -> None:
    """In words: a type that is generated from a `default` demands the member of whoever sends it."""
    for member in (member for body in bodies for member in body.get("properties", {}).values()):
        default = member.pop("default", "")
        if default != "":
            told = f"{member.get('description', '')} `{json.dumps(default)}` if left out."
            member["description"] = told.strip()


def _describe_operation(operation: Operation, schemas: Schemas) -> Json:
    description: Json = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [_tag(operation.path)],
        "parameters": _parameters(operation),
        "responses": _endings(operation, schemas) | _refusals(operation.refusals, schemas),
        "security": list(operation.access.security),
    }
    if operation.body:
        content = {JSON: {"schema": operation.body}}
        description["requestBody"] = {"required": not operation.body_optional, "content": content}
    if operation.raw_body:
        lines = {"schema": {"type": "string", "description": "A file, as an export gives it."}}
        description["requestBody"] = {"required": True, "content": {operation.raw_body: lines}}
    return description


def _tag(path: str) -> str:
    """The heading on the page: the first word of the path, and the root's own."""
    return path.split("/")[2] if path.startswith("/v1/") else "service"


def _parameters(operation: Operation) -> list[Json]:
    variables = re.findall(r"\{(\w+)\}", operation.path)
    return [
        *(
            {"name": name, "in": "path", "required": True, "schema": _variable(name), **PATH_EXAMPLES[name]}
            for name in variables
        ),
        *([{"in": "query", "schema": operation.query}] if operation.query else ()),
        *(
            {"name": header.name, "in": "header", "description": header.text, "schema": dict(header.schema)}
            for header in operation.headers
        ),
    ]


def _variable(name: str) -> Json:
    return PATH_VARIABLES.get(name, TEXT)


def _endings(operation: Operation, schemas: Schemas) -> Json:
    content = {media: {"schema": schemas[kind]} for media, kind in operation.replies.items()}
    endings: Json = {str(status): {"description": text} for status, text in operation.endings.items()}
    if content:
        endings[str(operation.status)]["content"] = content
    if HTTPStatus.ACCEPTED in operation.endings:
        endings[str(int(HTTPStatus.ACCEPTED))]["content"] = {JSON: {"schema": schemas[TaskShown]}}
    return endings


def _refusals(codes: Iterable[str], schemas: Schemas) -> Json:
    by_status: dict[int, list[str]] = {}
    for code in codes:
        by_status.setdefault(CODES[code], []).append(f"`{code}`")
    return {str(status): _refusal(status, by_status[status], schemas) for status in sorted(by_status)}


def _refusal(status: int, codes: list[str], schemas: Schemas) -> Json:
    content = {PROBLEM_JSON: {"schema": schemas[ProblemBody]}}
    return {"description": f"{HTTPStatus(status).phrase}: {', '.join(codes)}", "content": content}
