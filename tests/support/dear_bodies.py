"""Searches the bodies that take an operation most work: the widest, deepest, longest and most wrong ones.

`dear_bodies` makes them from the schema of any operation; `Caller` sends them to a service in this process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from itertools import islice
from typing import Any

from flask.testing import FlaskClient
from marshmallow import Schema, fields, validate
from redis import Redis
from werkzeug.test import TestResponse

from service.http.fields import StrictBool, StrictInt, Variants
from service.http.operation import Operation
from service.http.register import OPERATIONS
from service.http.requests import LARGEST_BODY
from tests.support.api_client import ApiClient
from tests.support.finished_games import put_finished
from tests.support.sent_tables import sent_tables, wooden_table

Json = Any
# Beside what these members must be in a body that is let in as far as the rules.
KNOWN_WORDS = {"edition": "royale", "code": "A1", "owner": "seat-0", "bot": "random", "number": 1}


def operations_with_bodies() -> list[Operation]:
    return [operation for operation in OPERATIONS if operation.body]


def whole_document(kind: type[Schema]) -> dict[str, Json]:
    """Every member of a schema once, each list with one item."""
    return {field.data_key or name: _value(name, field) for name, field in kind().fields.items()}


def _value(name: str, field: fields.Field[Any]) -> Json:
    if isinstance(field, fields.Nested):
        return whole_document(type(field.schema))
    if isinstance(field, Variants):
        return whole_document(next(iter(field.kinds.values())))
    if isinstance(field, fields.List):
        return [_value(name, field.inner)]
    if isinstance(field, fields.Dict):
        return {"tiles": 0}
    if isinstance(field, StrictInt):
        return 1
    if isinstance(field, StrictBool):
        return True
    return KNOWN_WORDS.get(name, "a")


def places_in(thing: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of the document, of its members, and of the first item of each list, however deep."""
    yield path
    if isinstance(thing, dict):
        for name, value in thing.items():
            yield from places_in(value, (*path, name))
    elif isinstance(thing, list) and thing:
        yield from places_in(thing[0], (*path, 0))


def _at(document: Json, path: tuple[Any, ...]) -> Json:
    for step in path:
        document = document[step]
    return document


def _put(document: Json, path: tuple[Any, ...], value: Json) -> Json:
    if not path:
        return value
    step, *rest = path
    changed = copy(document)
    changed[step] = _put(document[step], tuple(rest), value)
    return changed


Filler = Callable[[int], Json]


def _nest(depth: int) -> Json:
    document: Json = 0
    for _ in range(min(depth, 400)):
        document = [document]
    return document


def _close_to(names: list[str], count: int) -> dict[str, Json]:
    """Members whose names are nearly right, which take longest to be told so."""
    return {f"{names[number % len(names)]}{number}": 0 for number in range(count)}


FILLERS: Mapping[str, Filler] = {
    "objects": lambda count: [{} for _ in range(count)],
    "arrays": lambda count: [[] for _ in range(count)],
    "numbers": lambda count: [0] * count,
    "fractions": lambda count: [1.5] * count,
    "texts": lambda count: [""] * count,
    "nulls": lambda count: [None] * count,
    "members": lambda count: {f"{number:x}": 0 for number in range(count)},
    "objects with a member": lambda count: [{"name": 0} for _ in range(count)],
    "long text": lambda count: "a" * count,
    "spaces": lambda count: " " * count,
    "joiners": lambda count: "a\u200d" * count,
    "marks": lambda count: "\u0958" * count,
    "quotes": lambda count: '"' * count,
    "controls": lambda count: "\x01" * count,
    "long names": lambda count: {"\x01" * (count // 2) + str(number): 0 for number in range(2)},
    "depth": _nest,
}


def dear_bodies(kind: type[Schema]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Bodies of at most 16 KiB for a schema, each with a name that says what was put where."""
    for title, document in {"": whole_document(kind), **SEEDS.get(kind.__name__, {})}.items():
        for path in places_in(document):
            where = "/".join(map(str, path))
            fillers = {**FILLERS, **_own_fillers(_at(document, path))}
            for name, fill in fillers.items():
                yield f"{name} at {title}/{where}", partial(_fit, document, path, fill)
    for name, spoil in SPOILERS.items():
        yield f"{name} lists as long as they may be", partial(_encode_wide, kind, spoil)


SPOILERS: Mapping[str, Callable[[Json], Json]] = {
    "good": lambda item: item,
    "wrong": lambda item: None,
    "empty": lambda item: {},
}


def _card_table() -> Json:
    """One in which the dearest faults are looked for: those of cards that were laid."""
    sent = next(islice(sent_tables("cards", {}, 3, 1), 12, None))
    table = sent.table
    for casino in table["casinos"]:
        casino["dice"] = [{"owner": "seat-0", "small": 30, "big": 30}] * 18
    return {"table": table, "seat": sent.seat}


# Documents beside the one with every member: tables that get as far as the rules.
SEEDS: Mapping[str, Mapping[str, Json]] = {
    "AdviceWanted": {"wooden": {"table": wooden_table(), "seat": 0}, "cards": _card_table()}
}


def _own_fillers(here: Json) -> dict[str, Filler]:
    """What fills an object or a list with more of its own."""
    if isinstance(here, dict) and here:
        return {
            "nearly right members": lambda count: {**here, **_close_to([*here], count)},
            "more members": lambda count: {**here, **{f"{number:x}": 0 for number in range(count)}},
        }
    if isinstance(here, list):
        return {"copies": lambda count: here * count, "few copies": lambda count: here * min(count, 20)}
    return {}


def _fit(document: Json, path: tuple[Any, ...], fill: Filler) -> bytes:
    """The document with about as much put at the path as a body may have, and no more."""
    few = 16
    empty = len(_encode(_put(document, path, fill(0))))
    size = max(1.0, (len(_encode(_put(document, path, fill(few)))) - empty) / few)
    count = int((LARGEST_BODY - empty) / size)
    body = _encode(_put(document, path, fill(count)))
    while len(body) > LARGEST_BODY and count:
        count = count * 9 // 10
        body = _encode(_put(document, path, fill(count)))
    return body


def _encode(document: Json) -> bytes:
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def _encode_wide(kind: type[Schema], spoil: Callable[[Json], Json]) -> bytes:
    return _encode(_widen(kind, spoil))


def _widen(kind: type[Schema], spoil: Callable[[Json], Json]) -> dict[str, Json]:
    """Every list of a schema with as many items as it may have; fewer where all would be too large."""
    return {field.data_key or name: _wide(name, field, spoil) for name, field in kind().fields.items()}


def _wide(name: str, field: fields.Field[Any], spoil: Callable[[Json], Json]) -> Json:
    if isinstance(field, fields.Nested):
        return _widen(type(field.schema), spoil)
    if isinstance(field, fields.List):
        most = next(rule.max for rule in field.validators if isinstance(rule, validate.Length)) or 0
        inner = field.inner
        if isinstance(inner, fields.Nested) and any(
            isinstance(member, fields.List) for member in inner.schema.fields.values()
        ):
            return [_widen(type(inner.schema), spoil) for _ in range(min(most, 6))]
        return [spoil(_value(name, inner)) for _ in range(min(most, 30))]
    return _value(name, field)


class Caller:
    """Calls every operation that takes a body, with a token and a game that let the body be read."""

    def __init__(self, client: FlaskClient, memory: Redis) -> None:
        self.api = ApiClient(client)
        self._finished = put_finished(memory)
        self._player = self.api.post("/v1/players", {"name": "Anna"}).get_json()["token"]
        self.begin()

    def begin(self) -> None:
        """Create new games: what was done to the last ones is no hindrance to the next request."""
        self._open = self.api.create({"name": "Anna"}, {"open": True})
        self.playing = self.api.create_for(2, edition="royale")

    def send(self, operation: Operation, body: bytes) -> TestResponse:
        address, token = self.address(operation)
        reply = self.api.send(operation.method, address, body, token)
        if reply.status_code < 400 and operation.in_game:
            self.begin()
        return reply

    def address(self, operation: Operation) -> tuple[str, str | None]:
        """The address of an operation, and the token to call it with."""
        game, token = self._find_game(operation)
        return operation.path.replace("{game}", game), token

    def _find_game(self, operation: Operation) -> tuple[str, str | None]:
        if operation.id == "takeSeat":
            return self._open.id, None
        if operation.id in ("startGame", "cancelGame"):
            return self._open.id, self._open.tokens[0]
        if operation.id == "forkGame":
            return self._finished, None
        if operation.in_game:
            return self.playing.id, self.playing.tokens[0]
        return "", self._player if operation.id in ("renameMe", "createTicket") else None


def count_calls(function: Callable[[], Any]) -> tuple[Any, int]:
    """What the function returns, and how many functions were called meanwhile: its work, on any machine."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        result = function()
    finally:
        sys.setprofile(before)
    return result, calls
