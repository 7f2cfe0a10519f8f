"""The shapes of the table, for the contract; `tables` builds it."""

# No postponed annotations here: NotRequired would go unnoticed behind them.
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from events.types import OptionValue
from rules.prompt import Option
from rules.state import Roll, Status


class TileShown(TypedDict):
    code: str
    name: str
    text: str
    shows: dict[str, Any]


class DiceShown(TypedDict):
    """`face` is there where the numbers of the dice still matter."""

    owner: str
    small: Annotated[int, Meta(description="Of cards, those with a single die.")]
    big: Annotated[int, Meta(description="Of cards, those with two dice.")]
    weight: int
    face: NotRequired[int]


class CasinoShown(TypedDict):
    number: int | Literal["bandit"]
    name: str
    notes: list[int]
    closed: bool
    tile: TileShown | None
    dice: list[DiceShown]
    chip_cards: NotRequired[list[str]]


class Hidden(TypedDict):
    """A commitment in place of what the caller may not see."""

    hidden: str


class SeatShown(TypedDict):
    """Notes, money and total are null where they are hidden from the caller."""

    seat: int
    name: str | None
    kind: Literal["human", "bot"]
    dice: int
    big: bool
    neutral_dice: int
    chips: int
    notes: list[int] | None
    money: int | None
    total: int | None
    bot: NotRequired[str]
    open: NotRequired[bool]
    chip_cards: NotRequired[list[str]]
    hand: NotRequired[list[str] | Hidden]
    glass: NotRequired[list[list[str] | Hidden]]
    placed: NotRequired[Annotated[int, Meta(description="Cards placed this round; eight put a seat out.")]]
    out: NotRequired[Annotated[bool, Meta(description="Has no turn left in this round of the card game.")]]


class AskShown(TypedDict):
    """`seats` are awaited, `options` are for the caller if asked; at `deadline` people are answered for."""

    ask: int
    prompt: str
    seats: list[int]
    yours: bool
    options: list[Option]
    deadline: Annotated[str, Meta(extra_json_schema={"format": "date-time"})] | None
    casino: NotRequired[int]
    tile: NotRequired[str]
    answer: NotRequired[
        Annotated[Option, Meta(description="The caller's own while others are awaited, seen by nobody else.")]
    ]


class TableShown(TypedDict):
    """The table as the caller may see it. Editions add members and rename none."""

    id: str
    version: int
    edition: str
    options: dict[str, OptionValue]
    status: Status
    round: int
    rounds: int
    starter: int | None
    turn: int | None
    seats: list[SeatShown]
    casinos: list[CasinoShown]
    roll: Roll | None
    asks: list[AskShown]
    winners: list[int] | None
    pile: NotRequired[int]
    under: NotRequired[list[int]]
    bank: NotRequired[list[int]]
    turn_number: NotRequired[
        Annotated[int, Meta(description="Of the card game; in sequence that of the seat whose turn it is.")]
    ]
    most_turns: NotRequired[Annotated[int, Meta(description="Turns that a seat has in a round of cards.")]]
