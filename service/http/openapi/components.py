"""Moves what is written more than once in the contract into its components."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from service.http.problems import PROBLEM_JSON

# The codes of a body that cannot be read, which come together, and the one word for them.
_UNREADABLE = "`bad_request`, `bad_json`, `duplicate_key`, `lone_surrogate`"
Json = dict[str, Any]


def share_repeated(document: Json) -> None:
    """Replace each response, parameter and link that is written more than once by a reference."""
    _share(document, "responses", [*_responses(document)])
    _share(document, "parameters", [*_parameters(document)])
    _share(document, "links", [*_links(document)])
    _drop_repeated_titles(document["components"]["schemas"])


def _responses(document: Json) -> Iterator[tuple[Json, Any, str]]:
    """Yield where each response is, and a name for it."""
    for operation in _operations(document):
        responses = operation["responses"]
        for status, response in responses.items():
            yield responses, status, _name_response(int(status), response)


def _name_response(status: int, response: Json) -> str:
    """Return the name of a response: of an error the codes, of others the phrase of the status."""
    if PROBLEM_JSON not in response.get("content", {}):
        return HTTPStatus(status).phrase.title().replace(" ", "")
    codes = response["description"].partition(": ")[2].replace(_UNREADABLE, "`unreadable_body`")
    return "Or".join(_camel(code.strip("`")) for code in codes.split(", "))


def _parameters(document: Json) -> Iterator[tuple[Json, Any, str]]:
    """Yield where each parameter is, and a name for it."""
    for operation in _operations(document):
        parameters = operation.get("parameters", [])
        for number, parameter in enumerate(parameters):
            yield parameters, number, _camel(parameter["name"].replace("-", "_"))


def _links(document: Json) -> Iterator[tuple[Json, Any, str]]:
    """Yield where each link is, and a name for it."""
    for operation in _operations(document):
        for response in operation["responses"].values():
            links = response.get("links", {})
            for name in links:
                yield links, name, _camel(name)


def _drop_repeated_titles(schemas: Json) -> None:
    """Leave out the title of a component where it is its name."""
    for name, schema in schemas.items():
        if schema.get("title") == name:
            del schema["title"]


def _operations(document: Json) -> Iterator[Json]:
    for item in document["paths"].values():
        yield from item.values()


def _share(document: Json, kind: str, found: list[tuple[Json, Any, str]]) -> None:
    """Move what is found more than once into the components of a kind.

    Two that differ under one name get a number.
    """
    written = [json.dumps(holder[key], sort_keys=True) for holder, key, _ in found]
    numbers = Counter(written)
    names: dict[str, str] = {}
    components: Json = {}
    for (holder, key, name), text in zip(found, written, strict=True):
        if numbers[text] == 1:
            continue
        if text not in names:
            names[text] = _free_name(name, components)
            components[names[text]] = holder[key]
        holder[key] = {"$ref": f"#/components/{kind}/{names[text]}"}
    document["components"][kind] = dict(sorted(components.items()))


def _free_name(name: str, taken: Json) -> str:
    numbered = name
    number = 1
    while numbered in taken:
        number += 1
        numbered = f"{name}{number}"
    return numbered


def _camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
