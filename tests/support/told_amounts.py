"""What explanations say that everybody received: read from the sentences, as a person would add them up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.support.game_loop import NAMES

_WHO = f"(?P<who>{'|'.join(NAMES)})"
# What was offered stands in quotes, and is no payment yet.
_QUOTED = re.compile("[“„]")
_GIVES = {
    "en": (
        rf"[^:]+: {_WHO}, \w+ with \d+(?: and \d+ pips|, \d+ pips and a \d)?, gets (?P<paid>.+)\.",
        rf".+ pays? (?P<paid>.+) to {_WHO}(?:, \w+ there with \d+)?\.",
    ),
    "de": (
        rf"[^:]+: {_WHO}, mit \d+(?: und \d+ Augen|, \d+ Augen und einer \d)? auf dem \w+ Platz, "
        r"bekommt (?P<paid>.+)\.",
        rf".+ zahlt {_WHO}(?:, dort mit \d+ auf dem \w+ Platz,)? (?P<paid>.+)\.",
    ),
}
_TAKES = {
    "en": rf"{_WHO} pays (?P<paid>.+?) to the bank(?: for .+)?[.!?]",
    "de": rf"{_WHO} zahlt der Bank (?P<paid>.+?)(?: für .+)?[.!?]",
}
# What chip cards come to is told once, when the game is over, set by set.
_COUNTS = {
    "en": rf"{_WHO} gets (?P<sum>\S+) for chip cards: (?P<sets>.+)\.",
    "de": rf"{_WHO} bekommt (?P<sum>\S+ \$) für Chipkarten: (?P<sets>.+)\.",
}
_DOLLARS = {"en": re.compile(r"\$([\d,]+)"), "de": re.compile(r"([\d.]+) \$")}
_CHIPS = re.compile(r"(\w+) [Cc]hips?\b")
_ENGLISH = "no one two three four five six seven eight nine ten eleven twelve"
_GERMAN = "kein einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_NUMBERS = {"en": _ENGLISH.split(), "de": _GERMAN.split()}


class Received(NamedTuple):
    """Of everybody, by their names."""

    dollars: Counter[str]
    chips: Counter[str]
    cards: Counter[str]


def add_up(sentences: Iterable[str], language: str, received: Received) -> None:
    for sentence in sentences:
        if _QUOTED.search(sentence):
            continue
        if counted := re.fullmatch(_COUNTS[language], sentence):
            received.cards[counted["who"]] += _sum(counted["sum"], language)
            assert _sum(counted["sum"], language) == _sum(counted["sets"], language), sentence
        for sign, patterns in ((-1, (_TAKES[language],)), (1, _GIVES[language])):
            found = next(filter(None, (re.fullmatch(pattern, sentence) for pattern in patterns)), None)
            if found:
                _add(found["who"], found["paid"], sign, language, received)
                break


def _add(who: str, paid: str, sign: int, language: str, received: Received) -> None:
    paid, _, change = paid.partition(" (")
    received.dollars[who] += sign * _sum(paid, language)
    if change:
        over, back = (_sum(part, language) for part in re.split("and gets|und bekommt", change))
        assert sign * (back - over) == _sum(paid, language), (paid, change)
    for word in _CHIPS.findall(paid):
        received.chips[who] += sign * _read_number(word, _NUMBERS[language])


def _sum(text: str, language: str) -> int:
    return sum(int(re.sub(r"\D", "", amount)) for amount in _DOLLARS[language].findall(text))


def _read_number(word: str, words: list[str]) -> int:
    return int(word) if word.isdigit() else words.index(word)


def begin() -> Mapping[str, Received]:
    return {language: Received(Counter(), Counter(), Counter()) for language in _GIVES}
