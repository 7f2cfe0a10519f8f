"""The table as it is sent, member by member; `tables` builds it.

Members that only some games have are UNSET in all others, and then not sent.
"""

# No postponed annotations here: msgspec would look for their names at every use.
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from events.types import OptionValue
from events.values import GameId, Moment, Visibility
from rules.about import Option
from rules.shown import Hidden, Standing
from rules.state import Roll, Status


class TileShown(Struct, frozen=True, gc=False):
    code: str
    name: str
    text: str
    shows: dict[str, Any]


class DiceShown(Struct, frozen=True, gc=False):
    """`face` is there where the numbers of the dice still matter."""

    owner: str
    small: Annotated[int, Meta(description="Of cards, those with a single die.")]
    big: Annotated[int, Meta(description="Of cards, those with two dice.")]
    weight: int
    face: int | UnsetType = UNSET


class CasinoShown(Struct, frozen=True, gc=False):
    number: int | Literal["bandit"]
    name: str
    notes: tuple[int, ...]
    closed: bool
    tile: TileShown | None
    dice: tuple[DiceShown, ...]
    standing: Annotated[
        tuple[Standing, ...],
        Meta(
            description="What everybody there would get if the round ended now, whoever gets most first; "
            "then those who get nothing because they are tied."
        ),
    ]
    chip_cards: tuple[str, ...] | UnsetType = UNSET


class RemoteShown(Struct, frozen=True, gc=False):
    """A program from elsewhere has so many seconds for an answer; then this level answers (W13)."""

    seconds: int
    fallback: str


class SeatShown(Struct, frozen=True, gc=False):
    """Notes, money and total are null where they are hidden from the caller."""

    seat: int
    name: str | None
    kind: Literal["human", "bot"]
    dice: int
    big: bool
    neutral_dice: int
    chips: int
    note_count: Annotated[int, Meta(description="How many notes the seat has won; never hidden.")]
    notes: tuple[int, ...] | None
    money: int | None
    total: int | None
    bot: str | UnsetType = UNSET
    open: bool | UnsetType = UNSET
    stand_in: Annotated[
        str | UnsetType,
        Meta(description="The bot that answers while the person is away, until they answer or return."),
    ] = UNSET
    player: Annotated[
        str | UnsetType, Meta(description="Who sits there, for `GET /v1/players/{player}`.")
    ] = UNSET
    remote: RemoteShown | UnsetType = UNSET
    chip_cards: tuple[str, ...] | UnsetType = UNSET
    hand: tuple[str, ...] | Hidden | UnsetType = UNSET
    glass: tuple[tuple[str, ...] | Hidden, ...] | UnsetType = UNSET
    placed: Annotated[int | UnsetType, Meta(description="Cards placed this round; eight put a seat out.")] = (
        UNSET
    )
    out: Annotated[bool | UnsetType, Meta(description="Has no turn left in this round of the card game.")] = (
        UNSET
    )


class AskShown(Struct, frozen=True, gc=False):
    """`seats` are awaited, `options` are for the caller if asked; at `deadline` people are answered for."""

    ask: int
    prompt: str
    seats: tuple[int, ...]
    yours: bool
    options: tuple[Option, ...]
    deadline: Moment | None
    casino: int | UnsetType = UNSET
    tile: str | UnsetType = UNSET
    answer: Annotated[
        Option | UnsetType,
        Meta(description="The caller's own while others are awaited, seen by nobody else."),
    ] = UNSET


class ClockShown(Struct, frozen=True, gc=False):
    """Of a person: `seconds` left in all when the last ask was put; the deadline, if the clock is running."""

    seat: int
    seconds: float
    deadline: Moment | None


class ClosedShown(Struct, frozen=True, gc=False):
    """Why the game ended without winners; others may follow.

    `not_filled` (W2), `abandoned` (W3), `cancelled` by its host (W6), `voided` by all people (W7).
    """

    reason: str


class ForkShown(Struct, frozen=True, gc=False):
    """The game and the version that this one began with."""

    game: GameId
    at: int


class TableShown(Struct, frozen=True, gc=False):
    """The table as the caller may see it. Editions add members and rename none."""

    id: GameId
    version: int
    edition: str
    options: dict[str, OptionValue]
    status: Status
    round: int
    rounds: int
    starter: int | None
    turn: int | None
    you: Annotated[int | None, Meta(description="The caller's seat; null for a spectator.")]
    seats: tuple[SeatShown, ...]
    casinos: tuple[CasinoShown, ...]
    roll: Roll | None
    asks: tuple[AskShown, ...]
    winners: tuple[int, ...] | None
    visibility: Visibility
    pile: int | UnsetType = UNSET
    under: tuple[int, ...] | UnsetType = UNSET
    bank: tuple[int, ...] | UnsetType = UNSET
    turn_number: Annotated[
        int | UnsetType,
        Meta(description="Of the card game; in sequence that of the seat whose turn it is."),
    ] = UNSET
    most_turns: Annotated[int | UnsetType, Meta(description="Turns that a seat has in a round of cards.")] = (
        UNSET
    )
    closed: Annotated[
        ClosedShown | UnsetType, Meta(description="Only of a game that was closed before its end.")
    ] = UNSET
    clock: Annotated[
        tuple[ClockShown, ...] | UnsetType,
        Meta(description="Of a game with `total_seconds` that has started: what people have left of it."),
    ] = UNSET
    host: Annotated[
        int | UnsetType | None,
        Meta(description="While the game has not started: the seat that may start or cancel it."),
    ] = UNSET
    void: Annotated[
        tuple[int, ...] | UnsetType,
        Meta(description="The seats that want the game to end without winners; it does when all people do."),
    ] = UNSET
    rematch: Annotated[str | UnsetType, Meta(description="The game that followed this one.")] = UNSET
    rematch_of: Annotated[str | UnsetType, Meta(description="The game that this one followed.")] = UNSET
    fork: Annotated[
        ForkShown | UnsetType, Meta(description="Only of a game that was forked off another.")
    ] = UNSET
    imported: Annotated[
        Moment | UnsetType, Meta(description="Since when a game that was played elsewhere is here.")
    ] = UNSET
