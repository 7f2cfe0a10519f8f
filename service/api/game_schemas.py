"""What the rulesets add to the contract: every prompt, and every tile with what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rules.editions import EDITIONS
from rules.tile import Tile
from service.api.named_schemas import REF

# Older releases too: their games are still shown.
TILES = list({code: tile for ruleset in EDITIONS.releases for code, tile in ruleset.tiles.items()}.values())
Json = dict[str, Any]


def prompt_schema() -> Json:
    texts = {name: prompt.text for ruleset in EDITIONS.releases for name, prompt in ruleset.prompts.items()}
    lines = [f"- `{name}`: {text}" for name, text in texts.items()]
    return {"description": "\n".join(("What is asked:", *lines)), "type": "string", "enum": list(texts)}


def tile_schemas() -> tuple[Json, dict[str, Json]]:
    """A schema for whichever tile it is, and the components that it refers to."""
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
