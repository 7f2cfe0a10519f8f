"""A client that holds every response to openapi.yaml, and requests that the contract describes."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend
from msgspec import Struct
from werkzeug.test import TestResponse

from service.timestamps import is_stamp
from tests.support.example_book import WANTED, ExampleBook


def check_pattern(checker: Any, pattern: str, text: Any, schema: Any) -> Iterator[ValidationError]:
    """A last "$" is the end of the text; Python would also find it before a line's end."""
    whole = re.sub(r"(?<!\\)\$$", r"\\Z", pattern)
    if isinstance(text, str) and not re.search(whole, text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


PATTERNS = {"pattern": check_pattern}
PlainValidator = extend(Draft202012Validator, PATTERNS)


FILE = Path(__file__).parents[2] / "openapi.yaml"
JSON, NDJSON, PROBLEM = "application/json", "application/x-ndjson", "application/problem+json"
# A method or an address that the contract does not have.
OUTSIDE = {"not_found", "method_not_allowed"}


# Headers of every reply, or between servers; all others are documented where they are sent.
EVERYWHERE = {
    *(
        "content-type",
        "content-length",
        "content-encoding",
        "content-language",
        "cache-control",
        "content-security-policy",
        "referrer-policy",
    ),
    *("cross-origin-resource-policy", "x-content-type-options", "x-frame-options", "x-accel-buffering"),
    *("access-control-allow-origin", "access-control-expose-headers", "allow"),
}
# That a reply differs by origin, and a refusal by language, is said of each alike.
SAID_OF_ALL = {("Vary", "Origin"), ("Vary", "Accept-Language")}


class CheckedClient(FlaskClient):
    def open(self, *given: Any, **more: Any) -> TestResponse:
        response = super().open(*given, **more)
        check_response(response)
        if WANTED in os.environ:
            _offer_examples(_open_book(), response, more.get("data"))
        return response


def _offer_examples(book: ExampleBook, response: TestResponse, sent: Any) -> None:
    operation = _operation(response.request.method.lower(), response.request.path)
    if operation is None or response.mimetype not in (JSON, NDJSON, PROBLEM, "text/plain"):
        return
    body: Any = json.loads(response.data) if response.mimetype in (JSON, PROBLEM) else None
    if response.mimetype == PROBLEM:
        book.offer(("problems", body["code"], PROBLEM), body)
    elif response.status_code in (200, 201) and response.data:
        reply = response.get_data(as_text=True) if body is None else body
        book.offer(("replies", operation["operationId"], response.mimetype), reply)
        if sent:
            media = next(iter(operation["requestBody"]["content"]))
            book.offer(("requests", operation["operationId"], media), _read_sent(media, sent))


def _read_sent(media: str, sent: Any) -> Any:
    return json.loads(sent) if media == JSON else sent.decode()


@cache
def _open_book() -> ExampleBook:
    return ExampleBook(_still_fits)


def _still_fits(place: tuple[str, str, str], body: Any) -> bool:
    kind, name, media = place
    if kind == "problems":
        return bool(validator("#/components/schemas/ProblemBody").is_valid(body))
    named = {told["operationId"]: told for item in contract()["paths"].values() for told in item.values()}
    if name not in named:
        return False
    replies = [named[name]["responses"].get(status, {}).get("content", {}) for status in ("200", "201")]
    contents = [named[name].get("requestBody", {}).get("content", {})] if kind == "requests" else replies
    schemas = [content[media]["schema"] for content in contents if media in content]
    return bool(schemas) and all(
        "$ref" not in schema or validator(schema["$ref"]).is_valid(body) for schema in schemas
    )


@cache
def contract() -> dict[str, Any]:
    """The contract, with the shared responses and parameters put back where they are referred to."""
    found: dict[str, Any] = yaml.load(FILE.read_text("utf-8"), yaml.CSafeLoader)
    for item in found["paths"].values():
        for operation in item.values():
            operation["responses"] = {
                status: resolved(found, response) for status, response in operation["responses"].items()
            }
            operation["parameters"] = [
                resolved(found, parameter) for parameter in operation.get("parameters", ())
            ]
    return found


def resolved(document: dict[str, Any], part: dict[str, Any]) -> Any:
    if "$ref" not in part:
        return part
    found: Any = document
    for name in part["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found


def check_response(response: TestResponse) -> None:
    assert response.status_code < 500 or response.status_code in (501, 503), response.get_data(as_text=True)
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Request-ID"]
    if response.request.method in ("HEAD", "OPTIONS"):
        return
    operation = _operation(response.request.method.lower(), response.request.path)
    if operation is None:
        assert response.mimetype == PROBLEM
        assert json.loads(response.data)["code"] in OUTSIDE | {"unknown_game"}
        return
    _check_operation(operation, response)


def _check_operation(operation: dict[str, Any], response: TestResponse) -> None:
    status = str(response.status_code)
    assert status in operation["responses"], f"{operation['operationId']} says nothing of {response.data!r}"
    promised = operation["responses"][status]
    unknown = telling_headers(response) - promised_headers(operation, status)
    assert not unknown, f"{operation['operationId']} says nothing of these headers: {unknown}"
    if "content" not in promised:
        assert not response.data
        return
    content = promised["content"]
    assert response.mimetype in content or "*/*" in content
    if response.mimetype in (JSON, PROBLEM):
        _check_body(content[response.mimetype]["schema"]["$ref"], _unpack(response))
    if response.mimetype == NDJSON:
        for line in _unpack(response).splitlines():
            _check_body(content[response.mimetype]["x-itemSchema"]["$ref"], line)
    if response.mimetype == PROBLEM:
        code = json.loads(response.data)["code"]
        assert f"`{code}`" in promised["description"], f"{code} is not promised"


def _unpack(response: TestResponse) -> bytes:
    packed = response.headers.get("Content-Encoding") == "gzip"
    return gzip.decompress(response.data) if packed else response.data


def telling_headers(response: TestResponse) -> set[str]:
    """Of a reply, those that the contract names where they are sent."""
    told = {name.lower() for name, value in response.headers if (name, value) not in SAID_OF_ALL}
    return told - EVERYWHERE


def promised_headers(operation: dict[str, Any], status: str) -> set[str]:
    return {name.lower() for name in operation["responses"][status]["headers"]}


def _check_body(ref: str, body: bytes) -> None:
    faults = [fault.message for fault in validator(ref).iter_errors(json.loads(body))]
    assert not faults, (ref, faults, body)


@cache
def validator(ref: str) -> Any:
    return _Validator({"$ref": ref})


@cache
def _component(ref: str) -> Any:
    """What a reference stands for."""
    return _forbid_unnamed_members(contract()["components"]["schemas"][ref.rpartition("/")[2]])


def _check_ref(checker: Any, ref: str, thing: Any, schema: Any) -> Iterator[ValidationError]:
    """Most of a table is as it was a move before: what was found to fit is not taken apart again."""
    known = ref, json.dumps(thing)
    if known in _FITTING:
        return
    faults = list(checker.descend(thing, _component(ref)))
    if not faults and len(known[1]) < LONGEST_REMEMBERED:
        _FITTING.add(known)
    yield from faults


def _check_discriminator(checker: Any, rule: Any, thing: Any, schema: Any) -> Iterator[ValidationError]:
    """What a discriminator means: one named schema has to fit, which is also far quicker than trying all."""
    ref = rule["mapping"].get(thing.get(rule["propertyName"])) if isinstance(thing, dict) else None
    if ref is None:
        yield ValidationError(f"{thing} is of no known type")
    else:
        yield from checker.descend(thing, {"$ref": ref})


def _check_type(checker: Any, kinds: Any, thing: Any, schema: Any) -> Iterator[ValidationError]:
    """Also that a moment is declared as one."""
    yield from Draft202012Validator.VALIDATORS["type"](checker, kinds, thing, schema) or ()
    if isinstance(thing, str) and is_stamp(thing) and schema.get("format") != "date-time":
        yield ValidationError(f"{thing} is a date-time and not said to be one")


LONGEST_REMEMBERED = 2_000
_FITTING: set[tuple[str, str]] = set()
_CHECKS = PATTERNS | {"$ref": _check_ref, "discriminator": _check_discriminator, "type": _check_type}
_Validator = extend(Draft202012Validator, _CHECKS)


def _forbid_unnamed_members(schema: Any) -> Any:
    """Replies may have no member that the contract does not name."""
    if isinstance(schema, list):
        return [_forbid_unnamed_members(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _forbid_unnamed_members(part) for name, part in schema.items()}
    if closed.get("type") == "object" and "properties" in closed:
        closed.setdefault("additionalProperties", False)
    if "discriminator" in closed:
        del closed["oneOf"]
    return closed


def _operation(method: str, path: str) -> dict[str, Any] | None:
    # An address without variables comes before one with them.
    for template, item in sorted(contract()["paths"].items(), key=lambda path: "{" in path[0]):
        pattern = re.sub(r"\{\w+\}", "[^/]+", template.replace(".", r"\."))
        if re.fullmatch(pattern, path):
            found: dict[str, Any] | None = item.get(method)
            return found
    return None


# What stands for a variable of an address, where no game or player does.
VARIABLES = {
    "name": "start.js",
    "edition": "classic",
    "guide": "quickstart",
    "code": "unknown_game",
    "version": "1",
    "task": "t_0000000000000000000000",
    "webhook": "w_0000000000000000000000",
    "bot": "p_0000000000000000000000",
    "table": "g_0000000000000000000000",
    "build": "0",
    "folder": "app",
}
NO_TOKEN: Mapping[str, Any] = {}
GAME_ID, GAME = r"g_[A-Za-z0-9_-]{22}", "g_" + "x" * 22


class Described(Struct, frozen=True):
    """An operation, as the file has it."""

    method: str
    path: str
    text: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.text["operationId"])

    @property
    def schemes(self) -> set[str]:
        """Whose tokens it takes; API keys have a matrix of their own."""
        return {scheme for needed in self.text["security"] for scheme in needed} - {"key"}

    @property
    def is_open(self) -> bool:
        """Whether it can be called without a token; where the body names a game, it takes one of that."""
        names_game = self.is_about_game and "{game}" not in self.path
        return not self.text["security"] or (NO_TOKEN in self.text["security"] and not names_game)

    def address(self, known: Mapping[str, str]) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: {**VARIABLES, **known}[found[1]], self.path)

    def body(self, known: Mapping[str, str]) -> bytes | None:
        """The example with a game that is there, or where a body may be left out an empty one."""
        if "requestBody" not in self.text:
            return None
        (content,) = self.text["requestBody"]["content"].values()
        examples = contract()["components"]["examples"]
        refs = [example["$ref"].rpartition("/")[2] for example in content.get("examples", {}).values()]
        # The last one: before it stands what needs no game.
        value = examples[refs[-1]]["value"] if refs else {}
        if isinstance(value, str):
            # A whole log: its game is its own.
            return value.encode()
        return re.sub(GAME_ID, known["game"], json.dumps(value)).encode()

    @property
    def is_about_game(self) -> bool:
        """In its address or in its body."""
        return "{game}" in self.path or GAME.encode() in (self.body({"game": GAME}) or b"")

    def headers(self, token: str | None) -> dict[str, str]:
        media = next(iter(self.text.get("requestBody", {}).get("content", {})), JSON)
        given = {"Content-Type": media} if "requestBody" in self.text else {}
        return given if token is None else {**given, "Authorization": f"Bearer {token}"}


def described_operations() -> Iterator[Described]:
    for path, item in contract()["paths"].items():
        for method, text in item.items():
            yield Described(method.upper(), path, text)
