"""What people, bots and the clock may ask of a game."""

from __future__ import annotations

from msgspec import Struct

from events.secrecy import Secret
from events.types import OptionValue
from events.values import SeatPlan


class Create(Struct, frozen=True, tag_field="type", tag="create", omit_defaults=True):
    game: str
    edition: str
    seats: tuple[SeatPlan, ...]
    commitment: str
    options: dict[str, OptionValue] = {}


class Sit(Struct, frozen=True, tag_field="type", tag="sit", omit_defaults=True):
    """A player's `name` is empty here and in the fact that follows: see SeatPlan."""

    seat: int
    name: str
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""


class Choose(Struct, frozen=True, tag_field="type", tag="choose", omit_defaults=True):
    ask: int
    seat: int
    choice: str | Secret[str]


class Close(Struct, frozen=True, tag_field="type", tag="close", omit_defaults=True):
    """The game ends here, whoever leads (W2, W3)."""

    reason: str


Command = Create | Sit | Choose | Close
