"""Money and dice in words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

from events.text import Text, counted, grouped
from rules.scoring import CHIP

LONGEST_GUESS = 60

SMALLEST_PRIZE_IN_NOTES = 30_000


@lru_cache(1024)
def dollars(amount: int) -> str:
    return Text("${amount}", amount=grouped(amount))


@lru_cache(1024)
def quantity(count: int, thing: str, several: str | None = None, **named: str) -> str:
    """Return a number of things in words, such as `two dice`; the things may be templates."""
    things = thing if count == 1 else several or thing + "s"
    return Text("{count} " + things, count=counted(count), **named)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Say what there is in place of an unknown word: the most similar one, and all."""
    words = list(known)
    plain = {other.replace("_", "").lower(): other for other in words}
    near = get_close_matches(word.replace("_", "").lower(), plain, 1) if len(word) <= LONGEST_GUESS else []
    every = ", ".join(words)
    if len(words) == 1:
        return Text("there is only {word}", word=every)
    if near:
        return Text("did you mean {near}? There are {every}", near=plain[near[0]], every=every)
    return Text("there are {every}", every=every)


def prize(amount: int) -> str:
    """A prize as the bank pays it: small amounts are chips (M4)."""
    if not amount:
        return Text("nothing")
    return quantity(amount // CHIP, "chip") if amount < SMALLEST_PRIZE_IN_NOTES else dollars(amount)
