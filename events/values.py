"""Places, owners and the small things that lie there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta, Struct

Place = str
Owner = str
# The pattern is for the HTTP contract; decoding does not check it.
GameId = Annotated[str, Meta(extra_json_schema={"pattern": "^g_[A-Za-z0-9_-]{22}$"})]
# RFC 3339, UTC, with milliseconds.
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]

BANK: Place = "bank"
BOX: Place = "box"
PILE: Place = "pile"
UNDER: Place = "under"
BANDIT: Place = "bandit"

NEUTRAL: Owner = "neutral"
GREY: Owner = "grey"
BLACK: Owner = "black"

# Who finds a game: all clients in the list, those with its id, or only those with its code.
Visibility = Literal["public", "unlisted", "private"]
PUBLIC: Visibility = "public"
PRIVATE: Visibility = "private"

MOST_SEATS = 6
CASINO_NUMBERS = (1, 2, 3, 4, 5, 6)

# Places and owners by their number; tuples, because these are looked up on every event.
OWNER: tuple[Owner, ...] = tuple(f"seat-{seat}" for seat in range(MOST_SEATS))
LENT: tuple[Owner, ...] = tuple(f"black-{seat}" for seat in range(MOST_SEATS))
SUPPLY: tuple[Place, ...] = tuple(f"supply-{seat}" for seat in range(MOST_SEATS))
PURSE: tuple[Place, ...] = tuple(f"purse-{seat}" for seat in range(MOST_SEATS))
CASINO: tuple[Place, ...] = tuple(f"casino-{number}" for number in range(7))
BANDIT_STACK: tuple[Place, ...] = tuple(f"bandit-{number}" for number in range(7))

_SEAT_OF = {owner: seat for seat, owner in enumerate(OWNER)}
PLAYS_FOR = dict(zip(LENT, OWNER, strict=True))


# The seat behind an owner; None for imaginary players. A table asks a dozen times.
seat_of: Callable[[Owner], int | None] = _SEAT_OF.get


def plays_for(owner: Owner) -> Owner:
    """The owner whose rank these dice raise: black dice may be lent to a seat for a round."""
    return PLAYS_FOR.get(owner, owner)


def spot(tile: str, name: int | str) -> Place:
    """A named space on a tile."""
    return f"{tile}-{name}"


def tile_of(place: Place) -> str:
    """The tile whose space this is."""
    return place.partition("-")[0]


def home(owner: Owner) -> Place:
    """Where dice go when a round is over."""
    seat = _SEAT_OF.get(owner)
    return BOX if seat is None else SUPPLY[seat]


class Dice(Struct, frozen=True, gc=False):
    """Dice of one owner in one place; the big die counts as two (D2)."""

    small: int = 0
    big: int = 0

    @property
    def weight(self) -> int:
        return self.small + 2 * self.big

    @property
    def count(self) -> int:
        return self.small + self.big


class Lot(Struct, frozen=True, gc=False):
    """Dice as they come out of the box."""

    place: Place
    owner: Owner
    small: int
    big: int = 0


class Origin(Struct, frozen=True):
    """Where a game was forked off: of which game, at which version, with which hash."""

    game: str
    at: int
    head: str


class SeatPlan(Struct, frozen=True, omit_defaults=True):
    """A seat as the creator of a game planned it: for a named person, a bot, a registered player, or open.

    An external program is named and has `seconds` for an answer; then the bot `fallback` answers.
    Of a registered player the log holds the id and a commitment to the name, so that a name can be erased.
    """

    name: str | None = None
    bot: str | None = None
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""
    seconds: int = 0
    fallback: str = ""

    @property
    def open(self) -> bool:
        return self.name is None and self.bot is None and not self.player
