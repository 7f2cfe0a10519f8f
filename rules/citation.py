"""Puts the citation of a rule into words: the game, the heading in its rulebook, and the rulings.

In the code a rule is cited as `000 PLAYING THE GAME, T-E1`: a book, a heading in it, and rulings that close
its gaps (docs/rulings.md). Any of these may be missing.
"""

from __future__ import annotations

import re
from functools import cache

from events.text import Text
from rules.editions import EDITIONS

_BOOK = re.compile(r"(\d{3})(?: ([^,]+))?(?:, )?")
# The headings of docs/rulings.md, by the letter that the rulings below them begin with.
HEADINGS = {
    "P": Text("Players, seats, starts"),
    "M": Text("Money"),
    "D": Text("Dice and payout"),
    "S": Text("Secrets and asks"),
    "W": Text("Waiting"),
    "T": Text("Royale tiles"),
    "C": Text("Cards"),
}


@cache
def cite_rule(rule: str) -> str:
    """Return a citation as people read it, such as `Las Vegas Royale, "Playing the game" (T-E1)`.

    Empty for no rule. A rule that rests on rulings alone is cited as `Rulings of Croupier, "Money" (M8)`.
    The headings of rulebooks stay as they are printed.
    """
    book = _BOOK.match(rule)
    rulings = rule[book.end() :] if book else rule
    if not book:
        return _cite_rulings(rulings) if rulings else ""
    title = _titles().get(book[1], f"Rulebook {book[1]}")
    heading = f', "{book[2].capitalize()}"' if book[2] else ""
    named = f" ({rulings})" if rulings else ""
    return Text("{title}{heading}", title=title, heading=heading + named)


def _cite_rulings(rulings: str) -> str:
    heading = HEADINGS[rulings[0]]
    return Text('Rulings of Croupier, "{heading}" ({rulings})', heading=heading, rulings=rulings)


@cache
def _titles() -> dict[str, str]:
    """Return the title of the game of each book."""
    return {ruleset.sources.book: ruleset.title for ruleset in EDITIONS.newest.values()}
