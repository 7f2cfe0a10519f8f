"""Judges how large a body is, before its schema loads anything of it.

The bounds are taken from the schema: how many items each list and how many members each mapping may have.
Every object has at most MOST_MEMBERS members, and a body at most MOST_OBJECTS objects. A schema with a list
or mapping that has no bound cannot be used for a body.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from marshmallow import Schema, fields, validate

from events.text import Text
from service.http.fields import Variants, pointer_step
from service.http.problems import Fault

MOST_MEMBERS = 64
# A table with every die in a lot of its own has fewer.
MOST_OBJECTS = 128
# In what no schema describes, such as the members of a tile.
MOST_VALUES = 100


class Findings:
    """Collects what is too large in a body, and counts its objects."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.objects = 0

    def add(self, pointer: str, most: int, things: str, count: int) -> None:
        self.faults.append(
            Fault(
                Text(
                    "must have at most {most} {things}, not {count}",
                    most=most,
                    things=Text(things),
                    count=count,
                ),
                pointer,
            )
        )


Judge = Callable[[Any, str, Findings], None]


def find_oversize(schema: Schema, document: Mapping[str, Any]) -> list[Fault]:
    """Return what is too large in a body; what else is wrong with it is for the schema to say."""
    found = Findings()
    _judge_schema(type(schema))(document, "", found)
    if not found.faults and found.objects > MOST_OBJECTS:
        found.add("", MOST_OBJECTS, "objects in all", found.objects)
    return found.faults


@cache
def _judge_schema(kind: type[Schema]) -> Judge:
    return _judge_object({name: _judge_field(field) for name, field in _members(kind)})


def _members(kind: type[Schema]) -> list[tuple[str, fields.Field[Any]]]:
    """Return the fields of a schema under the names that are sent."""
    return [(field.data_key or name, field) for name, field in kind().fields.items()]


def _judge_field(field: fields.Field[Any]) -> Judge | None:
    """Return the judge of a value; None for a field that looks into nothing that is sent to it.

    Raises TypeError for a list or mapping without a bound.
    """
    if isinstance(field, fields.Nested):
        return _judge_schema(type(field.schema))
    if isinstance(field, Variants):
        return _judge_object(
            {name: _judge_field(inner) for kind in field.kinds.values() for name, inner in _members(kind)}
        )
    if isinstance(field, fields.List):
        return _judge_list(_most(field), _judge_field(field.inner))
    if isinstance(field, fields.Dict):
        inner = _judge_field(field.value_field) if field.value_field else _judge_anything
        return _judge_mapping(_most(field), inner)
    if type(field) in (fields.Raw, fields.Field):
        return _judge_anything
    return None


def _most(field: fields.Field[Any]) -> int:
    """Return the greatest length that a field's validators allow. Raises TypeError if there is none."""
    for validator in field.validators:
        if isinstance(validator, validate.Length) and validator.max is not None:
            return validator.max
    raise TypeError(f"the field {field.name} has no greatest length, so a body cannot have it")


def _judge_object(members: Mapping[str, Judge | None]) -> Judge:
    judges = {name: judge for name, judge in members.items() if judge}

    def judge_object(value: Any, pointer: str, found: Findings) -> None:
        if not isinstance(value, dict):
            return
        found.objects += 1
        if len(value) > MOST_MEMBERS:
            found.add(pointer, MOST_MEMBERS, "members", len(value))
            return
        for name, judge in judges.items():
            if name in value:
                judge(value[name], f"{pointer}/{name}", found)

    return judge_object


def _judge_list(most: int, judge: Judge | None) -> Judge:
    def judge_list(value: Any, pointer: str, found: Findings) -> None:
        if not isinstance(value, list):
            return
        if len(value) > most:
            found.add(pointer, most, "items", len(value))
        elif judge:
            for place, item in enumerate(value):
                judge(item, f"{pointer}/{place}", found)

    return judge_list


def _judge_mapping(most: int, judge: Judge | None) -> Judge:
    def judge_mapping(value: Any, pointer: str, found: Findings) -> None:
        if not isinstance(value, dict):
            return
        if len(value) > most:
            found.add(pointer, most, "members", len(value))
        elif judge:
            for name, inner in value.items():
                judge(inner, pointer + pointer_step(name), found)

    return judge_mapping


def _judge_anything(value: Any, pointer: str, found: Findings) -> None:
    """Judge JSON that no schema describes by the number of its values, and count no further than needed."""
    waiting = [value]
    count = 0
    while waiting and count + len(waiting) <= MOST_VALUES:
        inner = waiting.pop()
        if isinstance(inner, dict):
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner
        count += 1
    if waiting:
        found.add(pointer, MOST_VALUES, "values", count + len(waiting))
