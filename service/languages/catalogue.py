"""Languages that texts are shown in: English, which the code is written in, and a catalogue for each other.

A catalogue is a file beside this one, named by the tag of its language: `de.yaml`. Its `texts` are keyed by
the English template. To add a language, add a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from events.text import Words, write_in_english

FOLDER = Path(__file__).parent


class Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language writes numbers: its separators, a share in percent, and small numbers in `words`."""

    thousands: str
    decimal: str
    percent: str
    words: tuple[str, ...]


class Contents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of a catalogue's file; `name` is what the language calls itself."""

    name: str
    numbers: Numbers
    texts: Mapping[str, str]


class Language(ABC):
    """A language that replies are written in: texts are put into it, and structs with texts encoded."""

    def __init__(self, tag: str, name: str) -> None:
        self.tag = tag
        self.name = name
        self.encoder = msgspec.json.Encoder(enc_hook=self.encode_text)

    @property
    def suffix(self) -> str:
        """What the entity tag of a reply in this language ends with."""
        return f"-{self.tag}"

    @abstractmethod
    def put(self, text: str) -> str:
        """Return a text in this language; what is no text, such as a name, stays as it is."""

    def encode_text(self, value: Any) -> str:
        """Return a text within a struct; msgspec asks for whatever is not a plain value."""
        if isinstance(value, Words):
            return self.put(value)
        raise TypeError(f"{type(value).__name__} is not a text")

    def to_builtins(self, value: Any) -> Any:
        """Return a struct as plain values."""
        return msgspec.to_builtins(value, enc_hook=self.encode_text)


class _English(Language):
    """The language that the code is written in: a text is its own English."""

    @property
    def suffix(self) -> str:
        return ""

    def put(self, text: str) -> str:
        return str(text)


class _Translated(Language):
    """A language with a catalogue."""

    def __init__(self, tag: str, contents: Contents) -> None:
        super().__init__(tag, contents.name)
        self._texts = contents.texts
        self._numbers = contents.numbers

    def put(self, text: str) -> str:
        return text.put_into(self) if isinstance(text, Words) else text

    def translate(self, template: str) -> str:
        """Return the template in this language; the English one where there is no other."""
        return self._texts.get(template, template)

    def write_number(self, number: float, style: str) -> str:
        """Return a number as this language writes it."""
        english = write_in_english(number, style)
        if style == "counted":
            words = self._numbers.words
            return words[int(number)] if number < len(words) else str(number)
        if style == "percent":
            return self._numbers.percent.format(english.removesuffix("%"))
        swapped = {",": self._numbers.thousands, ".": self._numbers.decimal}
        return "".join(swapped.get(letter, letter) for letter in english)


def read_contents(file: Path) -> Contents:
    """Return the contents of a catalogue's file. Raises msgspec.ValidationError."""
    return msgspec.convert(yaml.load(file.read_text("utf-8"), yaml.CSafeLoader), Contents)


ENGLISH: Language = _English("en", "English")
LANGUAGES: Mapping[str, Language] = {
    ENGLISH.tag: ENGLISH,
    **{file.stem: _Translated(file.stem, read_contents(file)) for file in sorted(FOLDER.glob("*.yaml"))},
}
