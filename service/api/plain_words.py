"""What marshmallow says by itself, in our words."""

from __future__ import annotations

from collections.abc import Mapping, Sized

from marshmallow import Schema, fields, validate

_NO_TEXT, _NO_OBJECT = "a text is expected", "an object is expected"
# Taken from where it keeps them: fields within fields have no other way to be told.
_PLAIN: Mapping[object, str] = {
    fields.Field.default_error_messages["required"]: "it is missing",
    fields.Field.default_error_messages["null"]: "null is not expected here",
    fields.Field.default_error_messages["validator_failed"]: "this is not expected here",
    fields.String.default_error_messages["invalid"]: _NO_TEXT,
    fields.List.default_error_messages["invalid"]: "an array is expected",
    fields.Mapping.default_error_messages["invalid"]: _NO_OBJECT,
    fields.Nested.default_error_messages["type"]: _NO_OBJECT,
    Schema().error_messages["type"]: _NO_OBJECT,
}


def put_plainly(text: str) -> str:
    return _PLAIN.get(text, text)


class Length(validate.Length):
    """Of texts in characters, of arrays in what they hold."""

    message_min = "{min} or more are expected"
    message_max = "{max} at most are expected"
    message_all = "{min} to {max} are expected"

    def _format_error(self, value: Sized, message: str) -> str:
        things = " characters are" if isinstance(value, str) else " are"
        return super()._format_error(value, message.replace(" are", things))


class OneOf(validate.OneOf):
    default_message = "there are {choices}"
