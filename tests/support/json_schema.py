"""JSON Schema as its specification has it, where Python's own way of matching differs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend


def check_pattern(checker: Any, pattern: str, text: Any, schema: Any) -> Iterator[ValidationError]:
    """A last "$" is the end of the text; Python would also find it before a line's end."""
    whole = re.sub(r"(?<!\\)\$$", r"\\Z", pattern)
    if isinstance(text, str) and not re.search(whole, text):
        yield ValidationError(f"{text!r} does not match {pattern!r}")


PATTERNS = {"pattern": check_pattern}
PlainValidator = extend(Draft202012Validator, PATTERNS)
