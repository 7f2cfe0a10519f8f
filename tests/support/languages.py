"""Sentences about facts in a language, and English words where German is expected."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rules import EDITIONS, State
from rules.explain import sentences
from rules.explain.scene import Fact
from service.languages.catalogue import LANGUAGES

__all__ = ["LANGUAGES", "find_english", "format_facts"]

# Words that German sentences do not have; some English ones, such as "die", are German as well.
ENGLISH = re.compile(
    r"\b(the|of|and|is|are|to|with|must|your|you|from|this|that|there|its|it|has|have|or|by|be|dice|take|takes|"
    r"send|which|what|who|gets|wins|win|game|seat|table|round|tile|card|notes|leave|put|only|without|"
    r"other|first|second|places|rolls|draws|turn|player|pays|one|two|three|not|for|on|at|no|play|now|blue|red|green)\b"
)
# Code, quotes, and lists of the names that could be sent.
IDENTIFIERS = re.compile(
    r'`[^`]*`|"[^"]*"|(?:[Ee]s gibt|eines sein von|meintest du) [\w:]+(?:, [\w:]+)*\b(?=[.?;])'
)
# Names, which are the same in all languages.
NAMES = sorted(
    {
        *(ruleset.title for ruleset in EDITIONS.newest.values()),
        *(casino for ruleset in EDITIONS.newest.values() for casino in ruleset.casinos),
        *(tile.name for tile in EDITIONS.newest["royale"].tiles.values()),
        "Knockout?",
        *EDITIONS.newest,
    },
    key=len,
    reverse=True,
)


def format_facts(facts: Sequence[Fact], state: State, language: str) -> tuple[str, ...]:
    put = LANGUAGES[language].put
    return tuple(put(sentence) for sentence in sentences.format_facts(facts, state))


def find_english(text: str) -> list[str]:
    """The English words in a text that should be German; names are left out."""
    plain = IDENTIFIERS.sub("", text)
    for name in NAMES:
        plain = plain.replace(name, "")
    return ENGLISH.findall(plain)
