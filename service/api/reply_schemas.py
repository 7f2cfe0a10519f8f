"""The types of replies as JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from service.api.game_schemas import REF, prompt_schema, tile_schemas

Json = dict[str, Any]


def reply_schemas(types: Iterable[Any]) -> tuple[dict[Any, Json], dict[str, Json]]:
    """The schema of each type, and the components that these refer to."""
    types = list(dict.fromkeys(types))
    schemas, components = msgspec.json.schema_components(types, ref_template=REF)
    _adapt_commits(components)
    return dict(zip(types, schemas, strict=True)), components | _game_components(components)


def _adapt_commits(components: dict[str, Json]) -> None:
    """Commits go out without what serves retries, and already encoded."""
    for name in ("key", "request"):
        del components["Commit"]["properties"][name]
    components["Commit"]["description"] = "An accepted command and the facts it caused."
    components["EventsReply"]["properties"]["commits"]["items"] = {"$ref": REF.format(name="Commit")}


def _game_components(components: dict[str, Json]) -> dict[str, Json]:
    """What a type cannot say, because the rulesets do: which prompts and which tiles there are."""
    for asking in ("AskShown", "Ask"):
        components[asking]["properties"]["prompt"] = {"$ref": REF.format(name="Prompt")}
    tile, tiles = tile_schemas()
    return {"Prompt": prompt_schema(), "TileShown": tile, **tiles}
