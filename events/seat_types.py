"""The facts of who sits at the table."""

from __future__ import annotations

from msgspec import Struct


class SeatTaken(Struct, frozen=True, tag_field="type", tag="seat_taken", omit_defaults=True):
    """A player's `name` is empty: see SeatPlan."""

    seat: int
    name: str
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""


SeatFact = SeatTaken
