"""Texts for people: values that say in which words, and are put into a language where they are sent.

A text *is* its English, so that logs, programs and tests read it as any string. It also carries the template
and the parameters that it is made of, from which a catalogue makes the same text in another language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

Value: TypeAlias = "str | int"

_NUMBERS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
# Begins a text that is stored: no text that is shown begins like this, and no name may have it.
_STORED = "\x02"
MARKS = (".", "!", "?", "…")
_GROUPED = "grouped"
_COUNTED = "counted"
_PERCENT = "percent"
_POINTS = "points"


class Catalogue(Protocol):
    """What a language says in place of an English template, and how it writes numbers."""

    def translate(self, template: str) -> str:
        """Return the template in this language; the English one where there is no other."""
        ...

    def write_number(self, number: float, style: str) -> str:
        """Return a number as this language writes it."""
        ...


class Text(str):
    """An English template and its parameters, which may be texts themselves.

    A template without parameters is taken as it is, braces included.
    """

    __slots__ = ("parameters", "template")

    template: str
    parameters: dict[str, Value]

    def __new__(cls, template: str, /, **parameters: Value) -> Text:
        text = str.__new__(cls, template.format_map(parameters) if parameters else template)
        text.template = template
        text.parameters = parameters
        return text

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Value]]:
        """Pickle the template and its parameters."""
        return (self.template,), self.parameters

    def put_into(self, catalogue: Catalogue) -> str:
        template = catalogue.translate(self.template)
        if not self.parameters:
            return template
        return template.format_map(
            {name: put_into(value, catalogue) for name, value in self.parameters.items()}
        )

    def to_parts(self) -> list[Any]:
        return ["text", self.template, {name: _to_json(value) for name, value in self.parameters.items()}]


class Joined(str):
    """Texts with a separator between them."""

    __slots__ = ("parts", "separator")

    parts: tuple[str, ...]
    separator: str

    def __new__(cls, parts: Iterable[str], separator: str = ", ") -> Joined:
        listed = tuple(parts)
        text = str.__new__(cls, separator.join(listed))
        text.parts = listed
        text.separator = separator
        return text

    def __getnewargs__(self) -> tuple[tuple[str, ...], str]:  # type: ignore[override]
        """Pickle the parts."""
        return self.parts, self.separator

    def put_into(self, catalogue: Catalogue) -> str:
        parts = [str(put_into(part, catalogue)) for part in self.parts]
        return catalogue.translate(self.separator).join(parts)

    def to_parts(self) -> list[Any]:
        return ["joined", [_to_json(part) for part in self.parts], self.separator]


class Sentence(str):
    """A text that begins with a capital, unless with a code, and ends with one mark.

    `written` is a name in it that keeps its case, wherever a language puts it.
    """

    __slots__ = ("text", "written")

    text: str
    written: str

    def __new__(cls, text: str, written: str = "") -> Sentence:
        sentence = str.__new__(cls, finish_sentence(text, written))
        sentence.text = text
        sentence.written = written
        return sentence

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Pickle the text."""
        return self.text, self.written

    def put_into(self, catalogue: Catalogue) -> str:
        return finish_sentence(str(put_into(self.text, catalogue)), self.written)

    def to_parts(self) -> list[Any]:
        return ["sentence", _to_json(self.text), self.written]


def finish_sentence(text: str, written: str = "") -> str:
    """Return a text as a sentence. Some names, of tiles, end with a mark of their own."""
    first, _, _ = text.partition(" ")
    is_word = first.rstrip(",;").isalpha() and first.islower()
    is_written = bool(written) and text.startswith(written)
    started = text[:1].upper() + text[1:] if is_word and not is_written else text
    plain = started.replace("!.", "!").replace("?.", "?")
    return plain if plain.endswith(MARKS) else f"{plain}."


class Number(str):
    """A number that languages write differently."""

    __slots__ = ("number", "style")

    number: float
    style: str

    def __new__(cls, number: float, style: str) -> Number:
        text = str.__new__(cls, write_in_english(number, style))
        text.number = number
        text.style = style
        return text

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        """Pickle the number."""
        return self.number, self.style

    def put_into(self, catalogue: Catalogue) -> str:
        return catalogue.write_number(self.number, self.style)

    def to_parts(self) -> list[Any]:
        return ["number", self.number, self.style]


# A text that can be put into other languages; every other string is a name and stays as it is.
Words = Text | Joined | Sentence | Number


def write_in_english(number: float, style: str) -> str:
    """Return a number as English writes it."""
    if style == _GROUPED:
        return f"{number:,}"
    if style == _PERCENT:
        return f"{number:.0%}"
    if style == _POINTS:
        return f"{number:.1f}"
    return _NUMBERS[int(number)] if number < len(_NUMBERS) else str(number)


def grouped(number: int) -> Number:
    """Return a number with separators between thousands."""
    return Number(number, _GROUPED)


def counted(number: int) -> Number:
    """Return a number in words, as far as one counts on fingers."""
    return Number(number, _COUNTED)


def percent(share: float) -> Number:
    """Return a share of 1 in percent."""
    return Number(share, _PERCENT)


def points(number: float) -> Number:
    """Return a number with one decimal place."""
    return Number(number, _POINTS)


def listed(parts: Sequence[str]) -> str:
    """Return texts in a row: `a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return parts[0] if parts else ""
    return Text("{most} and {last}", most=Joined(parts[:-1]), last=parts[-1])


def either(parts: Sequence[str]) -> str:
    """Return texts in a row: `a`, `a or b`, `a, b or c`."""
    if len(parts) < 2:
        return parts[0] if parts else ""
    return Text("{most} or {last}", most=Joined(parts[:-1]), last=parts[-1])


def as_text(text: str) -> Words:
    """Return a text whose words are all its own, such as a constant, so that it can be translated."""
    return text if isinstance(text, Words) else Text(text)


def put_into(value: Value, catalogue: Catalogue) -> Value:
    """Return a value in the language of the catalogue; names and numbers stay as they are."""
    return value.put_into(catalogue) if isinstance(value, Words) else value


def store_text(text: str) -> str:
    """Return a text in a form that `restore_text` makes the same text of, with its parameters."""
    return _STORED + msgspec.json.encode(text.to_parts()).decode() if isinstance(text, Words) else text


def restore_text(stored: str) -> str:
    """Return the text that was stored; one that was stored as English alone stays that."""
    if not stored.startswith(_STORED):
        return stored
    text = _from_json(msgspec.json.decode(stored[len(_STORED) :]))
    return text if isinstance(text, str) else str(text)


def _to_json(value: Value) -> Any:
    return value.to_parts() if isinstance(value, Words) else value


def _from_json(stored: Any) -> Value:
    match stored:
        case ["text", str(template), dict(parameters)]:
            return Text(template, **{name: _from_json(value) for name, value in parameters.items()})
        case ["joined", list(parts), str(separator)]:
            return Joined([str_of(_from_json(part)) for part in parts], separator)
        case ["sentence", text, str(written)]:
            return Sentence(str_of(_from_json(text)), written)
        case ["number", int(number) | float(number), str(style)]:
            return Number(number, style)
        case str(name) | int(name):
            return name
    raise ValueError(f"this is not a stored text: {stored!r}")


def str_of(value: Value) -> str:
    """Return a value as a string, without losing what a text is made of."""
    return value if isinstance(value, str) else str(value)
