"""Where in its book, and in our rulings, an edition says what it does."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

# Who opens a later round: the left neighbour, whoever rolled last, or whoever won last.
StartsBy = Literal["left", "last_roll", "last_winner"]
# What is counted where money is level (P6).
TieBreaker = Literal["notes", "notes_and_chips"]


class Sources(Struct, frozen=True):
    """As explanations cite them; `extra` is for the casino beside the six."""

    book: str
    set_up: str
    turn: str
    ties: str
    payout: str
    leftovers: str
    next_start: str
    result: str
    starts_by: StartsBy
    extra: str = ""
    tie_breaker: TieBreaker = "notes"
    first_start: str = "P2"

    def cite_tile(self, code: str, name: str) -> str:
        return f"{self.book} {name.upper()}, T-{code}"
