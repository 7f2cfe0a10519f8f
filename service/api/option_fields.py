"""The options of a planned game, before its edition looks at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields

from service.api.option_schemas import EXPECTED_VALUES


class Options(fields.Dict):
    """Options by their names; a value that none of them takes is told what its own takes."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **given: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **given)  # type: ignore[no-untyped-call]
        except ValidationError as fault:
            told: Any = fault.messages
            if not isinstance(value, Mapping):
                raise
            named = {name: _name_expected(name, texts) for name, texts in told.items()}
            raise ValidationError(named, valid_data=fault.valid_data) from None


def _name_expected(name: str, texts: Mapping[str, Any]) -> Mapping[str, Any]:
    known = name in EXPECTED_VALUES and "value" in texts
    return {**texts, "value": [EXPECTED_VALUES[name]]} if known else texts
