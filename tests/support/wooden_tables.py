"""A table of wood, as somebody types it in."""

from __future__ import annotations

from typing import Any


def wooden_table() -> dict[str, Any]:
    """Three players in the second round; the first has rolled six dice."""
    notes = ([60_000], [90_000], [50_000, 10_000], [70_000, 20_000], [80_000], [40_000, 30_000])
    dice = {1: {"seat-1": 2}, 3: {"seat-0": 2, "seat-2": 1}, 5: {"seat-2": 1}}
    return {
        "edition": "classic",
        "round": 2,
        "seats": [
            {"dice": 6, "notes": [90_000, 40_000]},
            {"dice": 6, "notes": [60_000]},
            {"dice": 6, "notes": []},
        ],
        "casinos": [
            {
                "number": number,
                "notes": notes[number - 1],
                "dice": [{"owner": owner, "small": count} for owner, count in dice.get(number, {}).items()],
            }
            for number in range(1, 7)
        ],
        "roll": {"own": [1, 1, 1, 2, 5, 6]},
    }
