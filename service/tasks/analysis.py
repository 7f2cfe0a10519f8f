"""What a finished game was made of: dice and choices, seat by seat."""

from typing import Annotated

from msgspec import Meta, Struct

# Of what is kept: another form has other tasks.
FORM = "2"
Chance = Annotated[float, Meta(description="A chance to win, or a difference of two, from 0 to 1.")]


class AnalysisOrder(Struct, frozen=True):
    """A game that is over, and its last version then."""

    game: str
    version: int


class ChoiceSeen(Struct, frozen=True):
    """A choice among several, as the expert sees it."""

    version: Annotated[int, Meta(description="Of the commit in which it was made.")]
    seat: int
    choice: str
    best: Annotated[str, Meta(description="What the expert takes for the best.")]
    before: Annotated[Chance, Meta(description="The seat's chance to win with the best choice.")]
    after: Annotated[Chance, Meta(description="The seat's chance to win with the choice that was made.")]
    loss: Annotated[Chance, Meta(description="What the choice cost: before less after.")]
    luck: Annotated[
        Chance,
        Meta(description="What dice and draws brought since the seat's last choice, or since its start."),
    ]
    others: Annotated[
        Chance,
        Meta(
            description="What the choices of others brought since then: what one cost its seat falls to all "
            "other seats, in equal parts. The seat's last `after` + `luck` + `others` = `before`."
        ),
    ]
    money: Annotated[
        int | None, Meta(description="What the choice cost of the money expected this round, in dollars.")
    ]


class SeatSeen(Struct, frozen=True):
    """`won` = `even` + `luck` + `others` - `lost`; what the expert misjudged in the end counts as luck."""

    seat: int
    name: str | None
    won: Annotated[Chance, Meta(description="Of the game: all, nothing, or a part of a shared victory.")]
    even: Annotated[Chance, Meta(description="What an equal among equals would win.")]
    luck: Annotated[float, Meta(description="What dice and draws brought, in chances to win.")]
    others: Annotated[float, Meta(description="What the others' choices gave it, which cost them as much.")]
    lost: Annotated[float, Meta(description="What its own choices cost against the best ones.")]
    choices: int
    best_choices: Annotated[int, Meta(description="How many of them the expert would have made, too.")]
    worst: Annotated[
        int | None, Meta(description="The version of its dearest choice; null if none cost anything.")
    ]
    text: Annotated[str, Meta(description="In plain sentences.")]


class Analysis(Struct, frozen=True):
    """By a bot that sees at each choice what the seat saw then."""

    bot: str
    build: str
    budget: int
    seats: tuple[SeatSeen, ...]
    turning_points: Annotated[
        tuple[ChoiceSeen, ...], Meta(description="Where a seat's chance changed most, by luck or by choice.")
    ]
    choices: tuple[ChoiceSeen, ...]
    unjudged: Annotated[int, Meta(description="Choices that the bot gave no answer about.")] = 0
