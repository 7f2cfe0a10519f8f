"""Money and dice in words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from rules.scoring import CHIP

LONGEST_GUESS = 60

SMALLEST_PRIZE_IN_NOTES = 30_000
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


def dollars(amount: int) -> str:
    return f"${amount:,}"


def quantity(count: int, thing: str, several: str | None = None) -> str:
    word = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{word} {thing if count == 1 else several or thing + 's'}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Say what there is in place of an unknown word: the most similar one, and all."""
    words = list(known)
    plain = {other.replace("_", "").lower(): other for other in words}
    near = get_close_matches(word.replace("_", "").lower(), plain, 1) if len(word) <= LONGEST_GUESS else []
    nearest = f"did you mean {plain[near[0]]}? There are" if near else "there are"
    return f"{nearest} {', '.join(words)}"


def prize(amount: int) -> str:
    """A prize as the bank pays it: small amounts are chips (M4)."""
    if not amount:
        return "nothing"
    return quantity(amount // CHIP, "chip") if amount < SMALLEST_PRIZE_IN_NOTES else dollars(amount)
