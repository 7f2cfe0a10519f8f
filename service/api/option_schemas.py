"""The options of an edition as a JSON Schema that takes what a new game takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.editions import EDITIONS
from rules.ruleset import OptionSpec, Ruleset
from service.play.bot_levels import TIMEOUT_POLICIES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# What no schema of the options alone can say, since it depends on how many sit down.
MARKS = (
    "x-players: values other than the default are for so many seats only, from min to max. "
    "x-seat: the value is one of the seats, so it is lower than their number."
)
Json = dict[str, Any]


def options_schema(ruleset: Ruleset) -> Json:
    specs = {spec.name: spec for spec in ruleset.options}
    conditions = [_need_condition(spec, specs[spec.needs]) for spec in ruleset.options if spec.needs]
    for spec in ruleset.options:
        conditions += _count_conditions(spec, ruleset) if spec.counted_as else []
    return {
        "$schema": DIALECT,
        "$comment": MARKS,
        "title": f"Options of {ruleset.title}",
        "type": "object",
        "properties": {spec.name: _option(spec, ruleset) for spec in ruleset.options},
        "additionalProperties": False,
        **({"allOf": conditions} if conditions else {}),
    }


def _need_condition(spec: OptionSpec, needed: OptionSpec) -> Json:
    """An option that goes with another one only."""
    return {"if": _when(spec.name, _wanted(spec)), "then": _when(needed.name, _wanted(needed))}


def _wanted(spec: OptionSpec) -> Json:
    return {"type": "integer", "minimum": 1} if spec.kind == "number" else {"const": True}


def _count_conditions(spec: OptionSpec, ruleset: Ruleset) -> list[Json]:
    """The number of codes is another option, which may be left at its default."""
    (counted,) = (other for other in ruleset.options if other.name == spec.counted_as)
    return [_count_condition(spec, counted, number) for number in range(1, spec.most + 1)]


def _count_condition(spec: OptionSpec, counted: OptionSpec, number: int) -> Json:
    named = _when(spec.name, {"minItems": number, "maxItems": number})
    fitting = list(dict.fromkeys((number, counted.default)))
    return {"if": named, "then": {"properties": {counted.name: {"enum": fitting}}}}


def _when(name: str, shape: Json) -> Json:
    return {"properties": {name: shape}, "required": [name]}


def _option(spec: OptionSpec, ruleset: Ruleset) -> Json:
    shape = _SHAPES[spec.kind](spec, ruleset)
    if spec.default is None:
        shape["type"] = [shape["type"], "null"]
    if spec.players:
        shape["x-players"] = {"min": spec.players[0], "max": spec.players[1]}
    title = spec.name.replace("_", " ").capitalize()
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
    """What it takes, for whoever sent something of no use to any option."""
    if spec.kind == "number":
        return f"a whole number from {spec.least} to {spec.most} is expected"
    if spec.kind == "codes":
        return f'a list of codes is expected, such as ["{spec.codes[0]}"]'
    return f"{_KINDS[spec.kind]} is expected"


_KINDS = {
    "flag": "true or false",
    "seat": "the number of a seat, from 0 on,",
    "policy": f"one of {', '.join(TIMEOUT_POLICIES)}",
}
EXPECTED_VALUES = {
    spec.name: _expect(spec) for ruleset in EDITIONS.newest.values() for spec in ruleset.options
}
