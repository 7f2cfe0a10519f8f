"""Renders openapi.yaml from the declared operations, their schemas and the types they return."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin

from events.text import Text
from service.analysis.tasks import TASK_ID
from service.analysis.thinking import TaskShown
from service.games.heavy_work import HEAVY_WORK_LOCK, Stretch
from service.games.schemas import NewGame
from service.http.auth import API_KEY, PARAMETER
from service.http.fields import GAME_ID, describe_variants
from service.http.headers import JSON, NDJSON, SSE
from service.http.languages import DESCRIPTION, LANGUAGE
from service.http.openapi.components import name_schemas, share_repeated
from service.http.openapi.contract import ApiIndex, Contract, OperationGroup, OperationLink
from service.http.openapi.examples import add_examples, read_examples
from service.http.openapi.schemas import reply_schemas
from service.http.openapi.text_form import write_yaml
from service.http.openapi.texts import describe_properties, group_of, operation_texts, read_groups
from service.http.operation import Operation
from service.http.problems import CODES, PROBLEM_JSON, ProblemBody
from service.http.register import OPERATIONS
from service.http.static_files import make_file
from service.http.streaming import STREAM_ENDINGS, frame_schema
from service.languages.catalogue import LANGUAGES
from service.players.places import PLAYER_ID
from service.webhooks.sources import WebhookEvent
from service.webhooks.webhooks import WEBHOOK_ID

_TEXT = {"type": "string"}
_SECONDS = {"type": "integer", "minimum": 0}
RESPONSE_HEADERS: Mapping[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "Names the request in the server's log; the one that was sent, or a new one.",
        "schema": _TEXT,
    },
    "ETag": {
        "description": "Names what was sent: of a game, its version. Lines and streams have none.",
        "schema": _TEXT,
    },
    "Vary": {"description": "What caches have to tell apart.", "schema": _TEXT},
    "Location": {"description": "Where what was made or found can be seen.", "schema": _TEXT},
    "Idempotent-Replayed": {
        "description": "The request came with a key that was known: this is the first reply again.",
        "schema": {"type": "string", "const": "true"},
    },
    "WWW-Authenticate": {"description": "That a bearer token is wanted.", "schema": _TEXT},
    "RateLimit": {
        "description": 'What is left: a list of `"name";r=requests;t=seconds until they count anew`.',
        "schema": _TEXT,
    },
    "RateLimit-Policy": {
        "description": 'What is allowed: a list of `"name";q=requests;w=in so many seconds`.',
        "schema": _TEXT,
    },
    "Retry-After": {"description": "Try again after so many seconds.", "schema": _SECONDS},
}
_OF_STATUS = {
    202: ("Location", "Retry-After", "Vary"),
    401: ("WWW-Authenticate",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}


def header_names(operation: Operation, status: int) -> tuple[str, ...]:
    made = status == operation.status
    tagged = status == 304 or (made and operation.tagged)
    return (
        "X-Request-ID",
        *(("RateLimit", "RateLimit-Policy") if operation.rate_limit else ()),
        *(("ETag",) if tagged else ()),
        *(("Vary",) if tagged or (made and operation.method == "GET") else ()),
        *(("Location",) if made and operation.located else ()),
        *(("Idempotent-Replayed",) if made and operation.repeatable else ()),
        *_OF_STATUS.get(status, ()),
    )


SERVERS = [{"url": "/", "description": "The server that hands out this document."}]
# The operations to go on with, for a client that has the id of a game.
AFTER_A_GAME = ("showTable", "choose", "showEvents", "takeSeat")
GAME = "$response.body#/id"
TOKENS = {
    "seat": "a seat's token",
    "player": "a player's token",
    "key": "an API key",
    "watch": "the watch code of a private game",
    PARAMETER: "for a stream a ticket",
}
Json = dict[str, Any]


def add_details(document: Json, operations: Iterable[Operation]) -> None:
    operations = list(operations)
    document["servers"] = SERVERS
    document["tags"] = [{"name": name, "description": group.about} for name, group in read_groups().items()]
    document["components"]["headers"] = RESPONSE_HEADERS
    for operation in operations:
        described = document["paths"][operation.path][operation.method.lower()]
        described["description"] = _describe(operation)
        _add_parameter_examples(described["parameters"])
        for status, response in described["responses"].items():
            names = header_names(operation, int(status))
            response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}
        _add_links(document, described["responses"][str(operation.status)])
        _describe_sequences(described["responses"][str(operation.status)].get("content", {}))


def _add_parameter_examples(parameters: Iterable[Json]) -> None:
    for parameter in parameters:
        if "example" not in parameter:
            example = PARAMETER_EXAMPLES[parameter["name"]]
            known = parameter["schema"].get("enum", ())
            # Some names mean an id in one address and one of a few words in another.
            if known and example not in known:
                example = known[0]
            kind = {"string": str, "boolean": bool}.get(parameter["schema"].get("type"), int)
            parameter["schema"]["examples"] = [kind(example)]


def _describe(operation: Operation) -> str:
    """Return the description of an operation: when to call it, what it does, and who may."""
    sentences = [f"{operation.summary}.", _describe_access(operation.access.security)]
    if operation.scope and API_KEY in operation.access.security:
        sentences.append(f"A key needs the scope `{operation.scope}`.")
    if operation.id in operation_texts():
        sentences.insert(0, operation_texts()[operation.id].when)
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
    """Describe what is in each line or frame of a reply that is text to OpenAPI."""
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


FILE = Path("openapi.yaml")
TEXT = {"type": "string"}
PATH_VARIABLES: Mapping[str, Json] = {
    "game": {**TEXT, "pattern": f"^{GAME_ID.pattern}$"},
    "player": {**TEXT, "pattern": f"^{PLAYER_ID.pattern}$"},
    "task": {**TEXT, "pattern": f"^{TASK_ID}$"},
    "webhook": {**TEXT, "pattern": f"^{WEBHOOK_ID.pattern}$"},
    "bot": {**TEXT, "pattern": f"^{PLAYER_ID.pattern}$"},
    "version": {"type": "integer", "minimum": 1},
    "code": {"$ref": "#/components/schemas/ProblemCode"},
}
PATH_TEXTS: Mapping[str, str] = {
    "game": "The id of a game: from the reply that made it, or from `GET /v1/games`.",
    "table": "The id of a game.",
    "edition": "The id of an edition: from `GET /v1/editions`.",
    "player": "The id of a player: from `POST /v1/players`, or from the seats of a game.",
    "task": "The id of a task: from a reply with 202.",
    "webhook": "The id of a webhook: from `POST /v1/webhooks`.",
    "bot": "The id of a remote bot: from `POST /v1/remote-bots`, or from the list.",
    "version": "From 1 to the game's `version`.",
    "code": "An error code.",
    "guide": "The name of a guide: `/docs` lists them.",
    "build": "The build of the page.",
    "folder": "A folder of the page.",
    "name": "The name of the file.",
}
# Parameters that every server knows; the page at /docs/reference fills them in.
FILLED_IN: Mapping[str, Any] = {
    "version": 1,
    "code": "unknown_game",
    "edition": "classic",
    "guide": "quickstart",
    "build": "0",
    "folder": "app",
    "name": "start.js",
}
# Examples of the other parameters. They are in the schema, where they are shown and not filled in.
PARAMETER_EXAMPLES: Mapping[str, Any] = {
    "players": 3,
    "min_games": 30,
    "Idempotency-Key": "4f1c1f0e-8f7b-4b0a-9f57-3a3e7f1d8c2b",
    "If-Match": '"7"',
    "If-None-Match": '"7"',
    "Last-Event-ID": "0",
    "after": 0,
    "at": 1,
    "awaiting": True,
    "cursor": "eyJhdCI6MX0",
    "edition": "classic",
    "finished_after": "2026-01-01T00:00:00.000Z",
    "from": 1,
    "game": "g_0123456789abcdefghijkl",
    "head": "00000000",
    "language": "de",
    "limit": 20,
    "min_version": 1,
    "name": "Anna",
    "open_seats": 1,
    "order": "changed",
    "player": "p_0123456789abcdefghijkl",
    "Croupier-Player": "p_0123456789abcdefghijkl",
    "seat": 0,
    "sentences": True,
    "status": "playing",
    "table": "g_0123456789abcdefghijkl",
    "task": "t_0123456789abcdefghijkl",
    "ticket": "ticket_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
    "to": 2,
    "updated_after": "2026-01-01T00:00:00.000Z",
    "wait": 10,
    "webhook": "w_0123456789abcdefghijkl",
    "bot": "p_0123456789abcdefghijkl",
}
# The headers of Standard Webhooks, each with an example.
DELIVERY_HEADERS: Mapping[str, tuple[str, str]] = {
    "webhook-id": ("The same for every repeat of an event.", "msg_9dA0yDRPhhDYIE-WzvZ4uPJ9"),
    "webhook-timestamp": ("When it was sent, in seconds since 1970.", "1795000000"),
    "webhook-signature": (
        "`v1,` and the HMAC-SHA256 of id, timestamp and body; two of them after the secret was replaced.",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
}
DELIVERED_EVENT = {
    "id": "1795000000000-0",
    "game": "g_0123456789abcdefghijkl",
    "edition": "classic",
    "version": 12,
    "type": "asked",
    "seat": 0,
    "awaits": [0],
    "sentence": "It is the turn of Anna.",
}
ABOUT = """Las Vegas dice games. The table says who must answer what and lists every legal answer.
A game is a log of commits that everybody can check.

Whatever the server cannot read as HTTP gets `bad_request`, `uri_too_long` or `headers_too_large`, and what
does not come whole in time `request_timeout`.

Labels, sentences and refusals are in the language that `Accept-Language` or `language` asks for, which
`Content-Language` names; names, codes and identifiers are the same in all."""
BEARER = {"type": "http", "scheme": "bearer"}
SCHEMES = {
    "seat": {**BEARER, "description": "The token of a seat, shown to whoever took it; good in its game."},
    "watch": {
        **BEARER,
        "description": "The `watch_code` of a private game, from the reply that created it; to look on.",
    },
    "player": {
        **BEARER,
        "description": "The token of a player, from `POST /v1/players`; good in every game where they sit.",
    },
    "key": {
        **BEARER,
        "description": "An API key of a server, from its operator (`croupier keys create`). Its requests are "
        "counted for the key. With `Croupier-Player` it acts for a player that it has made.",
    },
    PARAMETER: {
        "type": "apiKey",
        "in": "query",
        "name": PARAMETER,
        "description": "For a stream, once, from `POST /v1/tickets`: browsers cannot send a header there.",
    },
}
LANGUAGE_PARAMETER: Json = {
    "name": LANGUAGE,
    "in": "query",
    "description": DESCRIPTION,
    "schema": {"type": "string", "enum": list(LANGUAGES)},
}
Schemas = Mapping[Any, Json]


def main() -> int:
    """Write openapi.yaml, print its size and what it holds, and return the exit status 0."""
    written = render_contract().yaml.content
    FILE.write_bytes(written)
    shared = set(re.findall(rb"#/components/responses/\w+", written))
    print(f"wrote {FILE}: {len(written) / 1000:.0f} KB, {len(OPERATIONS)} operations")
    print(f"{len(CODES)} error codes, {len(shared)} replies that several operations share")
    return 0


def render_contract() -> Contract:
    """Return the contract; lets other requests run while it is rendered, once for each process."""
    with HEAVY_WORK_LOCK:
        return _render()


@cache
def _render() -> Contract:
    """Render the contract part by part; the text is that of the whole."""
    stretch = Stretch()
    document = describe(OPERATIONS, stretch)
    pieces = []
    for piece in write_yaml(document):
        stretch.pause()
        pieces.append(piece)
    return Contract(
        yaml=make_file("".join(pieces).encode(), "application/yaml"),
        json=make_file(msgspec.json.encode(document), JSON),
        index=_list_operations(document),
    )


def _list_operations(document: Json) -> ApiIndex:
    """Return the operations under `/v1` with their addresses, by group."""
    found: dict[str, list[OperationLink]] = {}
    for path, item in document["paths"].items():
        for method, told in item.items():
            link = OperationLink(told["operationId"], method.upper(), path, Text(told["summary"]))
            if path.startswith("/v1/"):
                found.setdefault(told["tags"][0], []).append(link)
    groups = [
        OperationGroup(tag["name"], Text(tag["description"]), tuple(found[tag["name"]]))
        for tag in document["tags"]
        if tag["name"] in found
    ]
    return ApiIndex(
        name=document["info"]["title"],
        version=document["info"]["version"],
        docs="/docs",
        reference="/docs/reference",
        openapi="/openapi.json",
        groups=tuple(groups),
    )


def describe(operations: Sequence[Operation], stretch: Stretch | None = None) -> Json:
    """Return the whole document as plain values."""
    stretch = stretch or Stretch()
    ours = version("croupier")
    plugin = MarshmallowPlugin()
    about = {"description": ABOUT}
    spec = APISpec("Croupier", ours, "3.1.0", plugins=[plugin], info=about)
    assert plugin.converter
    plugin.converter.add_attribute_function(describe_variants)  # type: ignore[no-untyped-call]
    for name, scheme in SCHEMES.items():
        spec.components.security_scheme(name, scheme)
    types = [kind for operation in operations for kind in operation.replies.values()]
    ends = [ending.data for ending in STREAM_ENDINGS.values()]
    stretch.pause()
    schemas, components = reply_schemas([*types, ProblemBody, *ends, TaskShown, WebhookEvent], stretch)
    stretch.pause()
    for name, component in components.items():
        spec.components.schema(name, component)
    places = {name: place for place, name in enumerate(operation_texts())}
    for operation in sorted(operations, key=lambda operation: places.get(operation.id, len(places))):
        stretch.pause()
        spec.path(
            operation.path, operations={operation.method.lower(): _describe_operation(operation, schemas)}
        )
    stretch.pause()
    plain: Json = json.loads(json.dumps(spec.to_dict()))
    stretch.pause()
    _add_what_apispec_cannot_say(plain["components"]["schemas"])
    _say_defaults(schema for name, schema in plain["components"]["schemas"].items() if name not in components)
    add_details(plain, operations)
    stretch.pause()
    add_examples(plain, operations, read_examples())
    describe_properties(plain)
    name_schemas(plain)
    share_repeated(plain)
    plain["webhooks"] = {"event": {"post": _describe_delivery()}}
    parts = ("openapi", "info", "servers", "tags", "paths", "webhooks", "components")
    return {part: plain[part] for part in parts}


def _describe_delivery() -> Json:
    """Return what is sent to webhooks; see https://www.standardwebhooks.com."""
    schema = {"$ref": "#/components/schemas/WebhookEvent"}
    return {
        "operationId": "deliverEvent",
        "security": [],
        "summary": "An event of the feed",
        "description": "Sent to the `url` of a webhook with format `standard`. Events of one game come in "
        "their order; one that was not accepted is repeated with the same `webhook-id`.",
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": text,
                "schema": {**TEXT, "examples": [example]},
            }
            for name, (text, example) in DELIVERY_HEADERS.items()
        ],
        "requestBody": {"required": True, "content": {JSON: {"schema": schema, "example": DELIVERED_EVENT}}},
        "responses": {
            "2XX": {"description": "The event arrived. Reply within 10 seconds."},
            "410": {
                "description": "The webhook is switched off. After any other status the event comes again."
            },
        },
    }


def _add_what_apispec_cannot_say(schemas: Json) -> None:
    only_one = {
        "minContains": 0,
        "maxContains": 1,
        "contains": {"anyOf": [{"required": ["me"]}, {"required": ["player"]}]},
    }
    schemas["NewGame"]["properties"]["seats"] |= only_one
    schemas["Commit"]["properties"]["sentences"] = {
        "type": "array",
        "items": {"type": "string"},
        "description": "What happened, as the caller may see it; only in events with `sentences=true`.",
    }
    schemas["NewTicket"] |= {"minProperties": 1, "maxProperties": 1}
    for change in ("WebhookChange", "RemoteBotChange"):
        schemas[change] |= {"minProperties": 1}
    either = {"if": {"required": ["game"]}, "then": {"not": {"required": ["table"]}}}
    schemas["AdviceWanted"] |= {**either, "else": {"required": ["table", "seat"]}}
    schemas["NewGame"]["properties"]["options"]["propertyNames"] = _describe_option_names()


def _describe_option_names() -> Json:
    key = NewGame().fields["options"].key_field  # type: ignore[attr-defined]
    length, form = key.validators
    return {"minLength": length.min, "maxLength": length.max, "pattern": form.regex.pattern}


def _say_defaults(bodies: Iterable[Json]) -> None:
    """Say defaults in words: generated clients demand a member that has a `default`."""
    for member in (member for body in bodies for member in body.get("properties", {}).values()):
        default = member.pop("default", "")
        if default != "":
            told = f"{member.get('description', '')} `{json.dumps(default)}` if left out."
            member["description"] = told.strip()


def _describe_operation(operation: Operation, schemas: Schemas) -> Json:
    description: Json = {
        "operationId": operation.id,
        "summary": _summarize(operation),
        "tags": [group_of(operation.id)],
        "parameters": _parameters(operation),
        "responses": _endings(operation, schemas) | _refusals(operation.error_codes, schemas),
        "security": list(operation.access.security),
    }
    if operation.body:
        content = {JSON: {"schema": operation.body}}
        description["requestBody"] = {"required": not operation.body_optional, "content": content}
    if operation.raw_body:
        lines = {"schema": {"type": "string", "description": "A file, as an export gives it."}}
        description["requestBody"] = {"required": True, "content": {operation.raw_body: lines}}
    return description


def _summarize(operation: Operation) -> str:
    text = operation_texts().get(operation.id)
    return text.summary if text else operation.summary


def _parameters(operation: Operation) -> list[Json]:
    variables = re.findall(r"\{(\w+)\}", operation.path)
    return [
        *(
            {
                "name": name,
                "in": "path",
                "required": True,
                "schema": _variable(name),
                "description": PATH_TEXTS[name],
                **({"example": FILLED_IN[name]} if name in FILLED_IN else {}),
            }
            for name in variables
        ),
        *([{"in": "query", "schema": operation.query}, dict(LANGUAGE_PARAMETER)] if operation.query else ()),
        *(
            {"name": header.name, "in": "header", "description": header.text, "schema": dict(header.schema)}
            for header in operation.headers
        ),
    ]


def _variable(name: str) -> Json:
    return PATH_VARIABLES.get(name, TEXT)


def _endings(operation: Operation, schemas: Schemas) -> Json:
    content = {media: {"schema": schemas[kind]} for media, kind in operation.replies.items()}
    endings: Json = {str(status): {"description": text} for status, text in operation.responses.items()}
    if content:
        endings[str(operation.status)]["content"] = content
    if HTTPStatus.ACCEPTED in operation.responses:
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
