"""Objects of several kinds, each with a schema of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, ValidationError, fields

Json = dict[str, Any]


class Variants(fields.Field[Any]):
    """An object whose kind is told by the one member that only this kind has.

    `title` is what the contract calls it; `kinds` has the schema of each kind by that member; `example` is
    shown to whoever sends something else.
    """

    def __init__(
        self, title: str, text: str, kinds: Mapping[str, type[Schema]], example: str, **given: Any
    ) -> None:
        super().__init__(**given)
        self.title, self.text, self.kinds, self.example = title, text, kinds, example

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        if not isinstance(value, Mapping):
            raise ValidationError(f"an object is expected, such as {self.example}")
        members = [member for member in self.kinds if member in value]
        if len(members) == 1:
            return self.kinds[members[0]]().load(value)
        *most, last = self.kinds
        faults: Json = {"_schema": [f"one of {', '.join(most)} and {last} is expected"]}
        for member in members:
            faults |= self.kinds[member]().validate({member: value[member]})
        raise ValidationError(faults)


def describe_variants(converter: Any, field: fields.Field[Any], **given: Any) -> Json:
    """What apispec does not know: a component for the union, and one for each of its kinds."""
    if not isinstance(field, Variants):
        return {}
    schemas = converter.spec.components.schemas
    if field.title not in schemas:
        kinds = [converter.resolve_nested_schema(kind) for kind in field.kinds.values()]
        schemas[field.title] = {"title": field.title, "description": field.text, "oneOf": kinds}
    return {"$ref": f"#/components/schemas/{field.title}"}
