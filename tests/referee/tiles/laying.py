"""Which tiles may lie out (T0, T1, T2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.referee.books import fair

LETTERS = "ABCDEFGH"
CODES = frozenset(f"{letter}{side}" for letter in LETTERS for side in "12")


def laid(tiles: Sequence[str], options: Mapping[str, Any], seen: set[str]) -> None:
    """Whistles unless these tiles may lie out; `seen` are the sides that did before."""
    fair(set(tiles) <= CODES, f"{tiles} are not tiles of the book")
    fair(len({code[0] for code in tiles}) == len(tiles), f"{tiles} has a tile with both its sides")
    count = options.get("tiles", 0)
    fair(len(tiles) == count, f"{count} tiles should lie out")
    named = options.get("tile_codes")
    fair(not named or list(tiles) == list(named), f"{named} were asked for")
    if options.get("fresh_tiles") and not named:
        for place, code in enumerate(tiles):
            fair(code in fresh(tiles[:place], seen), f"{code} is not fresh")


def fresh(lying: Sequence[str], seen: set[str]) -> set[str]:
    """What may be drawn next: tiles not seen, else sides not seen, else any."""
    drawable = {code for code in CODES if code[0] not in {other[0] for other in lying}}
    unseen = {code for code in drawable if code[0] not in {other[0] for other in seen}}
    return unseen or drawable - seen or drawable
