"""The facts of tiles: where they lie, what they keep, and what they close."""

from __future__ import annotations

from msgspec import Struct

from events.values import Place


class TilesLaid(Struct, frozen=True, tag_field="type", tag="tiles_laid", omit_defaults=True):
    """Tiles for casinos 1, 2, …"""

    tiles: tuple[str, ...]
    chance: int | None = None


class TokenMoved(Struct, frozen=True, tag_field="type", tag="token_moved", omit_defaults=True):
    """To somebody who owns it from now on, or to a place on the table."""

    token: str
    target: Place


class CounterMoved(Struct, frozen=True, tag_field="type", tag="counter_moved", omit_defaults=True):
    """A number that a tile keeps."""

    counter: str
    value: int


class CasinoClosed(Struct, frozen=True, tag_field="type", tag="casino_closed", omit_defaults=True):
    """No die enters or leaves it by any means (T-E1)."""

    number: int


class CasinoOpened(Struct, frozen=True, tag_field="type", tag="casino_opened", omit_defaults=True):
    """Dice may enter and leave it again."""

    number: int


TileFact = TilesLaid | TokenMoved | CounterMoved | CasinoClosed | CasinoOpened
