"""A choice as canonical text such as `set-big-4`: made and taken apart here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

from msgspec import Struct

_BETWEEN = "-"


class Choice(Struct, frozen=True, dict=True):
    """A verb, and the words that say with what and where."""

    verb: str
    words: tuple[str, ...]

    @cached_property
    def number(self) -> int:
        """The last word: a casino, a face or a count."""
        return int(self.words[-1])

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        return tuple(map(int, self.words))

    @property
    def big(self) -> bool:
        """Whether the first word is the big die rather than a small one."""
        return self.words[0] == "big"


def write_choice(verb: str, *words: str | int) -> str:
    return _BETWEEN.join((verb, *map(str, words)))


def write_choices(verb: str, words: Iterable[str | int]) -> tuple[str, ...]:
    """One choice for each of these words."""
    return tuple(write_choice(verb, word) for word in words)


# The same few texts are read over and over; a text that is not an option is rejected before it is read.
@lru_cache(1024)
def read_choice(choice: str) -> Choice:
    """Parse a choice that is among the options; another text may lack the expected words."""
    verb, *words = choice.split(_BETWEEN)
    return Choice(verb, tuple(words))


def verb_of(choice: str) -> str:
    """The verb of a choice, or of any other text."""
    return choice.partition(_BETWEEN)[0]
