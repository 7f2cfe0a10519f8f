"""A bot's decision, thought over again."""

from typing import Annotated

from msgspec import Meta, Struct

# The contract is rendered from these, so what a figure means stands here.
Money = Annotated[
    int | None,
    Meta(description="What the seat expects from this round, in dollars; null where not worked out."),
]
Win = Annotated[
    float | None, Meta(description="The seat's chance to win the game; null where it was not worked out.")
]
Why = Annotated[str, Meta(description="In a plain sentence.")]


class WeighedOption(Struct, frozen=True):
    """An option as a bot sees it."""

    choice: str
    label: str
    money: Money
    win: Win
    why: Why


class DecisionOrder(Struct, frozen=True):
    """The commit of a bot, in a game that is over."""

    game: str
    version: int


class ThoughtAgain(Struct, frozen=True):
    """What the bot says today: by this `build`, having this `view`. Empty where there is no such bot now."""

    build: str
    view: str
    choice: str
    options: tuple[WeighedOption, ...]
