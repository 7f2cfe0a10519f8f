"""The facts of who sits at the table, and what they agree on there."""

from __future__ import annotations

from msgspec import Struct

from events.values import PUBLIC, Origin, SeatPlan, Visibility


class SeatTaken(Struct, frozen=True, tag_field="type", tag="seat_taken", omit_defaults=True):
    """By a person, a player (whose `name` is empty: see SeatPlan), or a bot in an empty seat (W5)."""

    seat: int
    name: str
    entropy: str = ""
    player: str = ""
    name_commitment: str = ""
    bot: str = ""


class SeatLeft(Struct, frozen=True, tag_field="type", tag="seat_left", omit_defaults=True):
    """In the lobby the seat is open again; in play the bot answers there, until return or for good (W4)."""

    seat: int
    bot: str = ""
    for_good: bool = False


def find_given_up(event: object) -> int | None:
    """The seat whose tokens end with this fact: in the lobby, and in play for good."""
    return event.seat if isinstance(event, SeatLeft) and (event.for_good or not event.bot) else None


class SeatReturned(Struct, frozen=True, tag_field="type", tag="seat_returned", omit_defaults=True):
    """The person answers again, and no bot does."""

    seat: int


class VoidVoted(Struct, frozen=True, tag_field="type", tag="void_voted", omit_defaults=True):
    """Somebody wants the game to end without winners, or no longer (W7)."""

    seat: int
    agrees: bool


class RematchMade(Struct, frozen=True, tag_field="type", tag="rematch_made", omit_defaults=True):
    """The same people play again, under this id; the only fact that comes after an end (W8)."""

    game: str


class GameForked(Struct, frozen=True, tag_field="type", tag="game_forked", omit_defaults=True):
    """From here on it is another game, with others in its seats; the seed proves every roll before (W12)."""

    game: str
    origin: Origin
    seats: tuple[SeatPlan, ...]
    commitment: str
    seed: str
    visibility: Visibility = PUBLIC


SeatFact = SeatTaken | SeatLeft | SeatReturned | VoidVoted | RematchMade | GameForked
