"""What an option is about: the thing on the table where a board may show it, and the dice that go there."""

# No postponed annotations here: msgspec would look for their names at every use.
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from events.values import Owner
from rules.shown import Standing

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


class About(Struct, frozen=True, gc=False):
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


NOTHING_THERE = About()


def at_casino(number: Casino, dice: DiceToPlace | None = None) -> About:
    return About((Target(casino=number),), dice, None if dice is None else number)


def taken_from(number: Casino) -> About:
    """A die leaves this casino."""
    return About((Target(casino=number),), weighs=number)


def at_tile(code: str, dice: DiceToPlace | None = None) -> About:
    return About((Target(tile=code),), dice)


def at_seat(seat: int) -> About:
    return About((Target(seat=seat),))


def one_die(big: bool) -> DiceToPlace:
    return DiceToPlace(int(not big), int(big))


def make_option(choice: str, label: str, about: About, standing: Standings = UNSET) -> Option:
    targets = about.targets
    return Option(
        choice,
        label,
        targets[0] if len(targets) == 1 else None,
        targets if len(targets) > 1 else UNSET,
        UNSET if about.dice is None else about.dice,
        standing,
    )
