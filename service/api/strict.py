"""A schema that says what there is when something else is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError

from rules.wording import point_to


class Strict(Schema):
    error_messages = {"type": "an object is expected"}  # noqa: RUF012

    # What is to be said of a member that there is none of, though people send it.
    hints: ClassVar[Mapping[str, str]] = {}

    class Meta:
        # The default, said aloud because the contract is rendered from it.
        unknown = RAISE

    def handle_error(self, error: ValidationError, data: Any, *, many: bool, **given: Any) -> None:
        """Says which members or parameters there are."""
        messages = error.messages
        # As they are sent, which is not always what the code calls them.
        names = [field.data_key or own for own, field in self.fields.items()]
        for name in messages if isinstance(messages, dict) and isinstance(data, Mapping) else ():
            if name in data and name not in names:
                known = point_to(name, names) if names else "there is none"
                messages[name] = [self.hints.get(name, f"nothing is called {name} here; {known}")]
