"""Money and dice in words."""

from __future__ import annotations

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


def counted(count: int, thing: str, several: str | None = None) -> str:
    word = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{word} {thing if count == 1 else several or thing + 's'}"
