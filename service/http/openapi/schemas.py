"""JSON Schemas of responses, prompts, tiles and game options, with the names that client generators need.

The encoder writes a union out wherever it is used, makes up names for generic types, and says an enum
without its type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import cleandoc
from typing import Any

import msgspec

from events.agenda import Item
from events.chain import UNHASHED
from events.commands import Command
from events.text import Text
from events.types import Event
from rules import EDITIONS
from rules.ruleset import OptionSpec, Ruleset
from rules.tile import Tile
from service.catalog.bots import TIMEOUT_POLICIES
from service.games.heavy_work import Stretch
from service.http.problems import CODES

REF = "#/components/schemas/{name}"
UNIONS: Mapping[str, Any] = {"Event": Event, "Command": Command, "AgendaItem": Item}
# The names in the contract of types that have another one in the code.
NAMES = {
    "Secret_str_": "SecretText",
    "Secret_tuple_str__...__": "SecretTexts",
    "HiddenValue": "Hidden",
}
UNION_TEXTS = {
    "Event": "A fact of a game, by its `type`.",
    "Command": "What a person, a bot or the clock asked of a game, by its `type`.",
    "AgendaItem": "What has to happen next: automatic work, or a question that waits.",
}
Json = dict[str, Any]


def union_schemas() -> dict[str, Json]:
    """Return the schemas of the unions, and of all types they refer to."""
    unions, components = msgspec.json.schema_components(UNIONS.values(), ref_template=REF)
    named: dict[str, Json] = type_enums(name_schemas(components, dict(zip(UNIONS, unions, strict=True))))
    return named


def name_schemas(components: Mapping[str, Json], unions: Mapping[str, Json]) -> dict[str, Json]:
    """Return all components under plain names, and the unions among them."""
    names = {_find_tags(union): name for name, union in unions.items()}
    plain = {NAMES.get(name, name): _name_parts(part, names) for name, part in components.items()}
    for name in plain.keys() & NAMES.values():
        plain[name] |= {"title": name}
    return plain | {name: _describe_union(name, union) for name, union in unions.items()}


def _describe_union(name: str, union: Json) -> Json:
    """Return the schema of a union, with `oneOf`, since a discriminator picks just one."""
    told = {"title": name, "description": UNION_TEXTS[name]}
    return {**told, "oneOf": union["anyOf"], "discriminator": union["discriminator"]}


def _find_tags(union: Json) -> tuple[str, ...]:
    """Return the tags of a union, by which an inlined copy is recognised."""
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
    """Return the schema of a tuple as an array of one kind of item.

    Few generators know `prefixItems`, and none of our tuples has several kinds.
    """
    first, *others = schema["prefixItems"]
    assert all(kind == first for kind in others)
    return {name: part for name, part in schema.items() if name != "prefixItems"} | {"items": first}


def _rename(ref: str) -> str:
    name = ref.removeprefix(REF.format(name=""))
    return REF.format(name=NAMES.get(name, name))


def type_enums(schema: Any, alone: bool = True) -> Any:
    """Return schemas in which each enum has a type, and a single word is a `const`.

    Generated code makes a literal type of a `const`. One of several kinds stays an enum, because generated
    code would refuse the other kinds.
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


# Older releases too: their games are still shown.
TILES = list({code: tile for ruleset in EDITIONS.releases for code, tile in ruleset.tiles.items()}.values())


def prompt_schema() -> Json:
    """Return the schema of the names of prompts."""
    texts = {name: prompt.text for ruleset in EDITIONS.releases for name, prompt in ruleset.prompts.items()}
    lines = [f"- `{name}`: {text}" for name, text in texts.items()]
    return {"description": "\n".join(("What is asked:", *lines)), "type": "string", "enum": list(texts)}


def tile_schemas() -> tuple[Json, dict[str, Json]]:
    """Return a schema for any tile, and the components that it refers to."""
    shapes = [member.shape for tile in TILES for member in tile.members.values()]
    schemas, components = msgspec.json.schema_components(shapes, ref_template=REF)
    unused = iter(schemas)
    for tile in TILES:
        components[_component_name(tile)] = _tile_schema(tile, [next(unused) for _ in tile.members])
    mapping = {tile.code: REF.format(name=_component_name(tile)) for tile in TILES}
    return {
        "description": "A tile by its `code`, each with members of its own in `shows`.",
        "oneOf": [{"$ref": ref} for ref in mapping.values()],
        "discriminator": {"propertyName": "code", "mapping": mapping},
    }, components


def _component_name(tile: Tile) -> str:
    return f"Tile{tile.code}"


def _tile_schema(tile: Tile, schemas: Sequence[Json]) -> Json:
    members = {
        name: {"description": member.text, **schema}
        for (name, member), schema in zip(tile.members.items(), schemas, strict=True)
    }
    properties: Json = {
        "code": {"type": "string", "const": tile.code},
        "name": {"type": "string", "const": tile.name},
        "text": {"type": "string"},
        "shows": {"type": "object", "properties": members, "required": list(members)},
    }
    return {
        "title": tile.name,
        "description": tile.text,
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def reply_schemas(types: Iterable[Any], stretch: Stretch) -> tuple[dict[Any, Json], dict[str, Json]]:
    """Return the schema of each type, and the components that these refer to."""
    types = list(dict.fromkeys(types))
    found, components = msgspec.json.schema_components([*types, *UNIONS.values()], ref_template=REF)
    stretch.pause()
    for component in components.values():
        if "description" in component:
            component["description"] = cleandoc(component["description"])
    schemas = found[: len(types)]
    unions = found[len(types) :]
    components = name_schemas(components, dict(zip(UNIONS, unions, strict=True)))
    stretch.pause()
    _adapt_commits(components)
    _adapt_lines(components)
    _adapt_tasks(components)
    _demand_all(components["LobbyGame"])
    components |= _game_components(components) | _name_problem_codes(components)
    stretch.pause()
    return dict(zip(types, schemas, strict=True)), type_enums(components)


def _adapt_commits(components: dict[str, Json]) -> None:
    """Remove from the schema of a commit what serves retries, which is not sent."""
    for name in UNHASHED:
        del components["Commit"]["properties"][name]
    components["Commit"]["description"] = "An accepted command and the facts it caused."
    components["EventsReply"]["properties"]["commits"]["items"] = {"$ref": REF.format(name="Commit")}


def _adapt_lines(components: dict[str, Json]) -> None:
    """Describe a line of a file as one of several things, which its type lists as members."""
    for name in ("ExportLine", "ExportsLine"):
        kinds = list(components[name].pop("properties").values())
        components[name] = {"title": name, "description": components[name]["description"], "anyOf": kinds}


def _adapt_tasks(components: dict[str, Json]) -> None:
    """Describe the result of a task as one of several things, which msgspec cannot tell apart."""
    kinds = ("Advice", "ImportReply", "ProblemBody")
    components["TaskShown"]["properties"]["result"]["anyOf"] = [
        {"$ref": REF.format(name=kind)} for kind in kinds
    ]


def _demand_all(line: Json) -> None:
    """Require every member with a default, which is only for rows that an older release has stored."""
    line["required"] = [
        name for name, member in line["properties"].items() if name in line["required"] or "default" in member
    ]
    for member in line["properties"].values():
        member.pop("default", None)


def _game_components(components: dict[str, Json]) -> dict[str, Json]:
    """Return the components that types cannot describe: prompts and tiles; adapt those that refer to them."""
    for asking in ("AskShown", "Ask"):
        components[asking]["properties"]["prompt"] = {"$ref": REF.format(name="Prompt")}
    components["Target"] |= {"minProperties": 1, "maxProperties": 1}
    tile, tiles = tile_schemas()
    return {"Prompt": prompt_schema(), "TileShown": tile, **tiles}


def _name_problem_codes(components: dict[str, Json]) -> dict[str, Json]:
    """Return the component with all error codes, so that a client can check that it knows them all."""
    for kind in ("ProblemBody", "Fault"):
        code = components[kind]["properties"]["code"]
        components[kind]["properties"]["code"] = _refer_to_code(code)
    text = "Why a request was refused; each operation says which of them it gives."
    return {"ProblemCode": {"description": text, "type": "string", "enum": sorted(CODES)}}


def _refer_to_code(schema: Json) -> Json:
    """Return a schema that refers to the component with the error codes."""
    code: Json = {"$ref": REF.format(name="ProblemCode")}
    return {**schema, "anyOf": [code, {"type": "null"}]} if "anyOf" in schema else code


DIALECT = "https://json-schema.org/draft/2020-12/schema"
# What no schema of the options alone can say, since it depends on how many sit down.
MARKS = (
    "x-players: values other than the default are for so many seats only, from min to max. "
    "x-seat: the value is one of the seats, so it is lower than their number."
)


def options_schema(ruleset: Ruleset) -> Json:
    """Return the JSON Schema of the options of an edition."""
    specs = {spec.name: spec for spec in ruleset.options}
    conditions = [_need_condition(spec, specs[spec.needs]) for spec in ruleset.options if spec.needs]
    for spec in ruleset.options:
        conditions += _count_conditions(spec, ruleset) if spec.counted_as else []
    return {
        "$schema": DIALECT,
        "$comment": MARKS,
        "title": Text("Options of {edition}", edition=ruleset.title),
        "type": "object",
        "properties": {spec.name: _option(spec, ruleset) for spec in ruleset.options},
        "additionalProperties": False,
        **({"allOf": conditions} if conditions else {}),
    }


def _need_condition(spec: OptionSpec, needed: OptionSpec) -> Json:
    """Return the condition of an option that may be set only with another one."""
    return {"if": _when(spec.name, _wanted(spec)), "then": _when(needed.name, _wanted(needed))}


def _wanted(spec: OptionSpec) -> Json:
    """Return the schema of a set option."""
    return {"type": "integer", "minimum": 1} if spec.kind == "number" else {"const": True}


def _count_conditions(spec: OptionSpec, ruleset: Ruleset) -> list[Json]:
    """Return the conditions of a list whose length another option names, unless that has its default."""
    (counted,) = (other for other in ruleset.options if other.name == spec.counted_as)
    return [_count_condition(spec, counted, number) for number in range(1, spec.most + 1)]


def _count_condition(spec: OptionSpec, counted: OptionSpec, number: int) -> Json:
    """Return the condition for a list of this length."""
    named = _when(spec.name, {"minItems": number, "maxItems": number})
    fitting = list(dict.fromkeys((number, counted.default)))
    return {"if": named, "then": {"properties": {counted.name: {"enum": fitting}}}}


def _when(name: str, shape: Json) -> Json:
    """Return the schema of options that have this one, with a value of this shape."""
    return {"properties": {name: shape}, "required": [name]}


def title_option(spec: OptionSpec) -> str:
    """Return what a form calls an option."""
    return spec.name.replace("_", " ").capitalize()


def _option(spec: OptionSpec, ruleset: Ruleset) -> Json:
    """Return the schema of an option."""
    shape = _SHAPES[spec.kind](spec, ruleset)
    if spec.default is None:
        shape["type"] = [shape["type"], "null"]
    if spec.players:
        shape["x-players"] = {"min": spec.players[0], "max": spec.players[1]}
    title = Text(title_option(spec))
    return {"title": title, "description": spec.text, **shape, "default": spec.default}


def _flag(spec: OptionSpec, ruleset: Ruleset) -> Json:
    return {"type": "boolean"}


def _number(spec: OptionSpec, ruleset: Ruleset) -> Json:
    return {"type": "integer", "minimum": spec.least, "maximum": spec.most}


def _seat(spec: OptionSpec, ruleset: Ruleset) -> Json:
    return {"type": "integer", "minimum": 0, "maximum": ruleset.seats[1] - 1, "x-seat": True}


def _codes(spec: OptionSpec, ruleset: Ruleset) -> Json:
    shape = {
        "type": "array",
        "items": {"enum": list(spec.codes)},
        "maxItems": spec.most,
        "uniqueItems": True,
    }
    apart = [{"contains": {"enum": group}, "minContains": 0, "maxContains": 1} for group in spec.either]
    return {**shape, "allOf": apart} if apart else shape


def _policy(spec: OptionSpec, ruleset: Ruleset) -> Json:
    return {"type": "string", "enum": list(TIMEOUT_POLICIES)}


_SHAPES: dict[str, Callable[[OptionSpec, Ruleset], Json]] = {
    "flag": _flag,
    "number": _number,
    "seat": _seat,
    "codes": _codes,
    "policy": _policy,
}


def _expect(spec: OptionSpec) -> str:
    """Return what the option takes, for the error about a wrong value."""
    if spec.kind == "number":
        return Text("must be an integer between {least} and {most}", least=spec.least, most=spec.most)
    if spec.kind == "codes":
        return Text('must be a list of codes such as ["{code}"]', code=spec.codes[0])
    return _KINDS[spec.kind]


_KINDS = {
    "flag": Text("must be true or false"),
    "seat": Text("must be the number of a seat, from 0"),
    "policy": Text("must be one of {choices}", choices=", ".join(TIMEOUT_POLICIES)),
}
EXPECTED_VALUES = {
    spec.name: _expect(spec) for ruleset in EDITIONS.newest.values() for spec in ruleset.options
}
