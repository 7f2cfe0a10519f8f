"""A prompt defines a question: its legal options, their labels and details, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from events.agenda import Ask, Item, Step
from events.values import Owner
from rules.choice import verb_of
from rules.extension import Standing

if TYPE_CHECKING:
    from rules.state import State
    from rules.table import Table


# No postponed annotations here: msgspec would look for their names at every use.


Casino = int | Literal["bandit"]
Standings = tuple[Standing, ...] | UnsetType


class Target(Struct, frozen=True, gc=False):
    """One thing on the table: a casino, a tile, a seat or a card in hand; one member is there."""

    casino: Casino | UnsetType = UNSET
    tile: str | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    card: str | UnsetType = UNSET


class DiceToPlace(Struct, frozen=True, gc=False):
    """Dice that the option puts on its target."""

    small: int
    big: int
    neutral: int = 0
    owner: Annotated[
        Owner | UnsetType, Meta(description="Whose small and big dice these are, if not the caller's own.")
    ] = UNSET


class OptionDetails(Struct, frozen=True, gc=False):
    """What an option is about, which may be nothing on the table or several things.

    `weighs` is the one casino where dice come or go by the choice alone, whatever others do meanwhile.
    """

    targets: tuple[Target, ...] = ()
    dice: DiceToPlace | None = None
    weighs: Casino | None = None


class Option(Struct, frozen=True):
    """A legal answer. `target` is what it is about: null where that is nothing, or several things."""

    choice: str
    label: str
    target: Target | None
    targets: Annotated[
        tuple[Target, ...] | UnsetType,
        Meta(description="All of them, where it is about several."),
    ] = UNSET
    dice: Annotated[
        DiceToPlace | UnsetType, Meta(description="What is put there; only where dice are placed.")
    ] = UNSET
    standing: Annotated[
        Standings,
        Meta(
            description="The `standing` of the casino that it is about once its dice lie there, or are gone, "
            "before anything else comes of it; not where that is several casinos, or others choose unseen."
        ),
    ] = UNSET


NOTHING_THERE = OptionDetails()


def at_casino(number: Casino, dice: DiceToPlace | None = None) -> OptionDetails:
    return OptionDetails((Target(casino=number),), dice, None if dice is None else number)


def taken_from(number: Casino) -> OptionDetails:
    """A die leaves this casino."""
    return OptionDetails((Target(casino=number),), weighs=number)


def at_tile(code: str, dice: DiceToPlace | None = None) -> OptionDetails:
    return OptionDetails((Target(tile=code),), dice)


def at_seat(seat: int) -> OptionDetails:
    return OptionDetails((Target(seat=seat),))


def one_die(big: bool) -> DiceToPlace:
    return DiceToPlace(int(not big), int(big))


def make_option(choice: str, label: str, about: OptionDetails, standing: Standings = UNSET) -> Option:
    targets = about.targets
    return Option(
        choice,
        label,
        targets[0] if len(targets) == 1 else None,
        targets if len(targets) > 1 else UNSET,
        UNSET if about.dice is None else about.dice,
        standing,
    )


StepWork = Callable[["Table", Step], None]
Choices = Callable[["State", Ask, int], tuple[str, ...]]
Label = Callable[["State", Ask, int, str], str]
Answered = Callable[["Table", Ask, Mapping[int, str]], None]
Odds = Callable[["State", Ask, str], float]
Guesses = Callable[["State", Ask], tuple[str, ...]]
Abouts = Callable[["State", Ask, int, str], OptionDetails]
Recall = Callable[["State", "Asked"], tuple[int | str, ...]]
Below = Callable[["State", "Asked"], tuple[Item, ...]]


class Asked(Struct, frozen=True):
    """A question as it is described: whom it asks, about which casino, and what the tile that asks shows."""

    seat: int
    number: int | None
    shown: Mapping[str, Any]


def about_asking_tile(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return at_tile(ask.tile) if ask.tile else NOTHING_THERE


class Prompt(Struct, frozen=True):
    """`rule` is the ruling or the place in a book that the options rest on; `text` is the question.

    `verbs` are first words of choices that rest on a rule of their own. `secret` answers stay sealed
    for their seat until something reveals them. Where the options themselves would tell what a seat
    holds, they are `private`: not on the agenda, but worked out again for the seat that asks.
    Where money and luck alone are at stake, `odds` are the dollars that a choice wins on average if all
    that follow are the best; where the question is about a sealed answer, `guesses` are what that may be.
    `about` says what on the table a choice is about: if nothing else, the tile that asks.
    Read back from a table that is described, a question came with the data that `recall` gives, which raises
    Unfit where that is not told, and `below` it on the agenda is the next turn or what this says. One
    that is `for_others` asks somebody else than whose turn it is.
    """

    choices: Choices
    label: Label
    answered: Answered
    rule: str
    text: str
    secret: bool = False
    private: bool = False
    verbs: Mapping[str, str] = {}
    odds: Odds | None = None
    guesses: Guesses | None = None
    about: Abouts = about_asking_tile
    recall: Recall | None = None
    below: Below | None = None
    for_others: bool = False

    def rule_of(self, choice: str) -> str:
        """What speaks for or against a choice."""
        return self.verbs.get(verb_of(choice)) or self.rule
