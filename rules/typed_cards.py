"""Cards at a table that somebody describes: the own are known, of others nothing but that there are some."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from events.secrecy import Secret, seal
from rules.state import State
from rules.typed_types import TypedSeat, TypedTable

Cards = Secret[tuple[str, ...]]
NO_SALT = "00" * 16


def hide_hands(table: TypedTable, seat: int, fresh: State) -> dict[int, Cards]:
    if not fresh.hands:
        return fresh.hands
    return {
        number: _hide(typed.hand, number, "hand") if number == seat else _hide(None, number, "hand")
        for number, typed in enumerate(table.seats)
        if typed.hand
    }


def hide_glasses(
    table: TypedTable, seat: int, fresh: State
) -> dict[int, tuple[Secret[tuple[str, ...]], ...]]:
    if not fresh.hands:
        return fresh.glasses
    return {
        number: _glass(typed, number, number == seat)
        for number, typed in enumerate(table.seats)
        if typed.glass
    }


def _glass(typed: TypedSeat, seat: int, own: bool) -> tuple[Cards, ...]:
    return tuple(_hide(rest if own else None, seat, f"glass {turn}") for turn, rest in enumerate(typed.glass))


def _hide(cards: Any, seat: int, what: str) -> Cards:
    """Cards of the seat that is asked; of others nothing is known but that there are some."""
    if isinstance(cards, (list, tuple)):
        return seal(tuple(sorted(map(str, cards))), NO_SALT, (seat,))
    return Secret(sha256(f"{what} of seat {seat}".encode()).hexdigest())
