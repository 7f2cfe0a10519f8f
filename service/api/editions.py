"""What can be played, and with what options."""

from __future__ import annotations

from functools import cache
from typing import Any

from flask import Blueprint, Response
from msgspec import Struct

from rules.editions import RULESETS
from rules.ruleset import OptionSpec, Ruleset
from service.api.parts import by_content, query
from service.bot_levels import BOT_LEVELS

blueprint = Blueprint("editions", __name__, url_prefix="/v1")


class Seats(Struct, frozen=True):
    min: int
    max: int


class TileText(Struct, frozen=True):
    code: str
    name: str
    text: str


class Edition(Struct, frozen=True):
    """`options` is a JSON Schema, good to build a form from; `x-players` bounds the seats for an option."""

    id: str
    title: str
    text: str
    seats: Seats
    rounds: int
    casinos: tuple[str, ...]
    options: dict[str, Any]
    tiles: tuple[TileText, ...]
    bots: tuple[str, ...]


class Editions(Struct, frozen=True):
    editions: tuple[Edition, ...]


@blueprint.get("/editions")
def list_editions() -> Response:
    query()
    return by_content(_editions())


@cache
def _editions() -> Editions:
    return Editions(tuple(map(described, RULESETS)))


def described(ruleset: Ruleset) -> Edition:
    return Edition(
        id=ruleset.id,
        title=ruleset.title,
        text=ruleset.text,
        seats=Seats(*ruleset.seats),
        rounds=ruleset.rounds,
        casinos=ruleset.casinos,
        options=options_schema(ruleset),
        tiles=tuple(TileText(tile.code, tile.name, tile.text) for tile in ruleset.tiles.values()),
        bots=tuple(level.name for level in BOT_LEVELS),
    )


def options_schema(ruleset: Ruleset) -> dict[str, Any]:
    properties = {spec.name: option_schema(spec, ruleset) for spec in ruleset.options}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    needs = [_needs(spec) for spec in ruleset.options if spec.needs]
    return {**schema, "allOf": needs} if needs else schema


def _needs(spec: OptionSpec) -> dict[str, Any]:
    """An option that goes with another one only."""
    return {"if": _chosen(spec.name), "then": _chosen(spec.needs)}


def _chosen(name: str) -> dict[str, Any]:
    return {"properties": {name: {"const": True}}, "required": [name]}


def option_schema(spec: OptionSpec, ruleset: Ruleset) -> dict[str, Any]:
    shape = _SHAPES[spec.kind](spec, ruleset)
    if spec.default is None:
        shape["type"] = [shape["type"], "null"]
    if spec.players:
        shape["x-players"] = {"min": spec.players[0], "max": spec.players[1]}
    title = spec.name.replace("_", " ").capitalize()
    return {"title": title, "description": spec.text, "default": spec.default, **shape}


def _flag(spec: OptionSpec, ruleset: Ruleset) -> dict[str, Any]:
    return {"type": "boolean"}


def _number(spec: OptionSpec, ruleset: Ruleset) -> dict[str, Any]:
    return {"type": "integer", "minimum": spec.least, "maximum": spec.most}


def _seat(spec: OptionSpec, ruleset: Ruleset) -> dict[str, Any]:
    return {"type": "integer", "minimum": 0, "maximum": ruleset.seats[1] - 1}


def _codes(spec: OptionSpec, ruleset: Ruleset) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"enum": list(spec.codes)},
        "maxItems": spec.most,
        "uniqueItems": True,
    }


_SHAPES = {"flag": _flag, "number": _number, "seat": _seat, "codes": _codes}
