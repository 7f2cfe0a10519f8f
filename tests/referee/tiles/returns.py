"""A die in hand turned to a number and placed, or one fetched back: a reward of two tiles (T-F2, T-H2)."""

from __future__ import annotations

from tests.referee.tiles.log import Script
from tests.referee.tiles.table import Table


def placeable(table: Table, seat: int) -> list[str]:
    return [f"set-{size}-{number}" for size in table.hand(seat) for number in table.open]


def fetchable(table: Table, seat: int) -> list[str]:
    """Own dice in open casinos."""
    return [
        f"take-{size}-{number}"
        for number in table.open
        for size in table.sizes(f"casino-{number}", f"seat-{seat}")
    ]


def possible(table: Table, seat: int) -> bool:
    return bool(placeable(table, seat) or fetchable(table, seat))


def place_or_fetch(table: Table, prompt: str, seat: int) -> Script[None]:
    """Without activating anything."""
    options = [*placeable(table, seat), *fetchable(table, seat)]
    kind, size, number = (yield from table.log.ask(prompt, seat, options)).split("-")
    route = (f"supply-{seat}", f"casino-{number}")
    source, target = route if kind == "set" else reversed(route)
    yield from table.send(f"seat-{seat}", source, target, size)
