"""Schemas of requests about webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from events.text import Text
from service.http.fields import Items, OneOf, Pattern, Strict, StrictBool, Word
from service.webhooks.destinations import LONGEST_URL
from service.webhooks.sources import CURSOR
from service.webhooks.webhooks import FORMATS, TYPES

_URL = {
    "description": "Where events are sent: `https` on any port. `http` and private addresses only where the "
    f"operator allows them. At most {LONGEST_URL} characters.",
    "example": "https://example.org/croupier",
}
_TYPES = {"description": "The types of events that are sent; all of them if left out.", "example": ["asked"]}
_FORMAT = {
    "description": "`standard` sends the event. `discord` sends a chat message with a link, to a webhook of "
    "Discord or of a program that understands the same.",
    "example": "standard",
}


def _types(**given: Any) -> Items:
    return Items(fields.String(validate=OneOf(TYPES)), len(TYPES), 1, metadata=_TYPES, **given)


class NewWebhook(Strict):
    url = Word(LONGEST_URL, required=True, metadata=_URL)
    types = _types(load_default=TYPES)
    format = fields.String(validate=OneOf(FORMATS), load_default=FORMATS[0], metadata=_FORMAT)


class WebhookChange(Strict):
    url = Word(LONGEST_URL, metadata=_URL)
    types = _types()
    format = fields.String(validate=OneOf(FORMATS), metadata=_FORMAT)
    enabled = StrictBool(
        metadata={
            "description": "Whether events are sent. One that is switched on again goes on where it stopped.",
            "example": True,
        }
    )

    @validates_schema(pass_original=True)
    def _check_any(self, data: Any, original: Mapping[str, Any], **given: Any) -> None:
        if not original:
            raise ValidationError("must have at least one member")


class Replay(Strict):
    after = fields.String(
        required=True,
        validate=Pattern(f"^({CURSOR.pattern})$", lambda text: Text("must be the id of an event, or 0")),
        metadata={
            "description": "Events after the one with this id are sent again; `0` for all that are kept.",
            "example": "0",
        },
    )
