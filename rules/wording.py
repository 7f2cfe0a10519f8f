"""Money and dice in words."""

from __future__ import annotations

from rules.scoring import CHIP

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


def prize(amount: int) -> str:
    """A prize as the bank pays it: small amounts are chips (M4)."""
    if not amount:
        return "nothing"
    return quantity(amount // CHIP, "chip") if amount < SMALLEST_PRIZE_IN_NOTES else dollars(amount)
