"""The types of replies as JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from events.chain import UNHASHED
from service.api.game_schemas import prompt_schema, tile_schemas
from service.api.named_schemas import REF, UNIONS, name_schemas, type_enums
from service.api.problems import CODES

Json = dict[str, Any]


def reply_schemas(types: Iterable[Any]) -> tuple[dict[Any, Json], dict[str, Json]]:
    """The schema of each type, and the components that these refer to."""
    types = list(dict.fromkeys(types))
    found, components = msgspec.json.schema_components([*types, *UNIONS.values()], ref_template=REF)
    schemas, unions = found[: len(types)], found[len(types) :]
    components = name_schemas(components, dict(zip(UNIONS, unions, strict=True)))
    _adapt_commits(components)
    _adapt_lines(components)
    _demand_all(components["LobbyGame"])
    components |= _game_components(components) | _name_problem_codes(components)
    return dict(zip(types, schemas, strict=True)), type_enums(components)


def _adapt_commits(components: dict[str, Json]) -> None:
    """Commits go out without what serves retries, and already encoded."""
    for name in UNHASHED:
        del components["Commit"]["properties"][name]
    components["Commit"]["description"] = "An accepted command and the facts it caused."
    components["EventsReply"]["properties"]["commits"]["items"] = {"$ref": REF.format(name="Commit")}


def _adapt_lines(components: dict[str, Json]) -> None:
    """A line of a file is one of several things, which its type lists as members."""
    for name in ("ExportLine", "ExportsLine"):
        kinds = list(components[name].pop("properties").values())
        components[name] = {"title": name, "description": components[name]["description"], "anyOf": kinds}


def _demand_all(line: Json) -> None:
    """What goes out has every member; defaults are for lines that an older release has stored."""
    line["required"] = list(line["properties"])
    for member in line["properties"].values():
        member.pop("default", None)


def _game_components(components: dict[str, Json]) -> dict[str, Json]:
    """What a type cannot say: which prompts and which tiles there are, and that a target is one thing."""
    for asking in ("AskShown", "Ask"):
        components[asking]["properties"]["prompt"] = {"$ref": REF.format(name="Prompt")}
    components["Target"] |= {"minProperties": 1, "maxProperties": 1}
    tile, tiles = tile_schemas()
    return {"Prompt": prompt_schema(), "TileShown": tile, **tiles}


def _name_problem_codes(components: dict[str, Json]) -> dict[str, Json]:
    """So that a client can tell at compile time whether it knows them all."""
    for kind in ("ProblemBody", "Fault"):
        code = components[kind]["properties"]["code"]
        components[kind]["properties"]["code"] = _refer_to_code(code)
    text = "Why a request was refused; each operation says which of them it gives."
    return {"ProblemCode": {"description": text, "type": "string", "enum": sorted(CODES)}}


def _refer_to_code(schema: Json) -> Json:
    code: Json = {"$ref": REF.format(name="ProblemCode")}
    return {**schema, "anyOf": [code, {"type": "null"}]} if "anyOf" in schema else code
