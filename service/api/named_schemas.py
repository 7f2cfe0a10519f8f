"""JSON Schemas as generators of clients like them: every union and every type under a plain name.

The encoder writes a union out wherever it is used, makes up names for generic types, and says an enum
without its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from events.agenda import Item
from events.commands import Command
from events.types import Event

REF = "#/components/schemas/{name}"
UNIONS: Mapping[str, Any] = {"Event": Event, "Command": Command, "AgendaItem": Item}
NAMES = {"Secret_str_": "SecretText", "Secret_tuple_str__...__": "SecretTexts"}
UNION_TEXTS = {
    "Event": "A fact of a game, by its `type`.",
    "Command": "What a person, a bot or the clock asked of a game, by its `type`.",
    "AgendaItem": "What has to happen next: automatic work, or a question that waits.",
}
Json = dict[str, Any]


def union_schemas() -> dict[str, Json]:
    """The unions, and whatever they refer to."""
    unions, components = msgspec.json.schema_components(UNIONS.values(), ref_template=REF)
    named: dict[str, Json] = type_enums(name_schemas(components, dict(zip(UNIONS, unions, strict=True))))
    return named


def name_schemas(components: Mapping[str, Json], unions: Mapping[str, Json]) -> dict[str, Json]:
    """All components under plain names, and the unions among them."""
    names = {_find_tags(union): name for name, union in unions.items()}
    plain = {NAMES.get(name, name): _name_parts(part, names) for name, part in components.items()}
    for name in NAMES.values():
        plain[name] |= {"title": name}
    return plain | {name: _describe_union(name, union) for name, union in unions.items()}


def _describe_union(name: str, union: Json) -> Json:
    """With `oneOf`, since a discriminator picks just one."""
    told = {"title": name, "description": UNION_TEXTS[name]}
    return {**told, "oneOf": union["anyOf"], "discriminator": union["discriminator"]}


def _find_tags(union: Json) -> tuple[str, ...]:
    return tuple(union["discriminator"]["mapping"])


def _name_parts(schema: Any, names: Mapping[tuple[str, ...], str]) -> Any:
    if isinstance(schema, list):
        return [_name_parts(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("discriminator"), dict):
        return {"$ref": REF.format(name=names[_find_tags(schema)])}
    if isinstance(schema.get("$ref"), str):
        return schema | {"$ref": _rename(schema["$ref"])}
    if schema.get("items") is False:
        return _name_parts(_describe_pair(schema), names)
    return {name: _name_parts(part, names) for name, part in schema.items()}


def _describe_pair(schema: Json) -> Json:
    """So many of one kind: few generators know `prefixItems`, and none of ours has several kinds."""
    first, *others = schema["prefixItems"]
    assert all(kind == first for kind in others)
    return {name: part for name, part in schema.items() if name != "prefixItems"} | {"items": first}


def _rename(ref: str) -> str:
    name = ref.removeprefix(REF.format(name=""))
    return REF.format(name=NAMES.get(name, name))


def type_enums(schema: Any, alone: bool = True) -> Any:
    """`const` for a single word, which makes a literal type of it; but not for one of several kinds.

    Generated code would refuse the other kinds by it.
    """
    if isinstance(schema, list):
        return [type_enums(part, alone=False) for part in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: type_enums(part) for name, part in schema.items()}
    words = schema.get("enum")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        return schema
    others = {name: part for name, part in schema.items() if name not in ("enum", "type")}
    said = {"const": words[0]} if alone and len(words) == 1 else {"enum": words}
    return {"type": "string", **said, **others}
