"""A prompt defines a question: its legal options, their labels and details, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import force_setattr

from events.agenda import Ask, Item, Step
from events.text import as_text
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
    """One thing on the table: a casino, a tile, a seat, a card or a die; one member is there."""

    casino: Casino | UnsetType = UNSET
    tile: str | UnsetType = UNSET
    seat: int | UnsetType = UNSET
    card: str | UnsetType = UNSET
    face: Annotated[
        int | UnsetType, Meta(description="The dice of the roll that show this number; only in a `path`.")
    ] = UNSET
    die: Annotated[
        Literal["small", "big"] | UnsetType,
        Meta(description="A die of the seat that is asked, by its size; only in a `path`."),
    ] = UNSET


class PathStep(Struct, frozen=True, gc=False):
    """One of the smaller questions that lead to an option: what it is about, and its words."""

    target: Annotated[
        Target | None, Meta(description="The thing to tap for it on a board; null where it is none.")
    ]
    label: str


Path = tuple[PathStep, ...]


class DiceToPlace(Struct, frozen=True, gc=False):
    """Dice that the option puts on its target."""

    small: int
    big: int
    neutral: int = 0
    owner: Annotated[
        Owner | UnsetType, Meta(description="Whose small and big dice these are, if not the caller's own.")
    ] = UNSET


class OptionDetails(Struct, frozen=True, gc=False):
    """The things on the table that an option concerns: none, one or several.

    `changed_casino` is the only casino where dice come or go, and no other seat can change that meanwhile.
    """

    targets: tuple[Target, ...] = ()
    dice: DiceToPlace | None = None
    changed_casino: Casino | None = None


class Gain(Struct, frozen=True, gc=False):
    """What a seat would have more, or less, at once."""

    seat: int
    money: Annotated[int, Meta(description="In dollars, chips included; below 0 if the seat pays.")]


class TilePreview(Struct, frozen=True, gc=False):
    """What the tile of an option would do at once, as far as that is certain before it is chosen."""

    tile: str
    acts: Annotated[bool, Meta(description="Whether anything would come of it now.")]
    shows: Annotated[
        dict[str, Any],
        Meta(description="What the tile would show then, as `shows` of the tile at its casino."),
    ]
    gains: Annotated[tuple[Gain, ...], Meta(description="Who would get or pay what; empty if nobody.")]
    uncertain: Annotated[
        Literal["dice", "answer", "secret"] | None,
        Meta(
            description="What decides the rest: `dice` that the tile throws, the `answer` to `prompt`, or a "
            "`secret` of another seat. `null` if the preview is all there is."
        ),
    ]
    prompt: Annotated[
        str | UnsetType, Meta(description="The question that would follow, as `prompt` of an ask.")
    ] = UNSET
    seat: Annotated[int | UnsetType, Meta(description="The seat that would be asked.")] = UNSET


Preview = TilePreview | UnsetType


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
    preview: Annotated[
        Preview, Meta(description="What the tile would do that the option activates or answers.")
    ] = UNSET
    path: Annotated[
        Path | UnsetType,
        Meta(
            description="The steps in which a board may ask for it, each with at most six answers; only "
            "where there are more than six options. Options with equal first steps belong together."
        ),
    ] = UNSET


NOTHING_THERE = OptionDetails()


def at_casino(number: Casino, dice: DiceToPlace | None = None) -> OptionDetails:
    return OptionDetails((Target(casino=number),), dice, None if dice is None else number)


def taken_from(number: Casino) -> OptionDetails:
    """A die leaves this casino."""
    return OptionDetails((Target(casino=number),), changed_casino=number)


def at_tile(code: str, dice: DiceToPlace | None = None) -> OptionDetails:
    return OptionDetails((Target(tile=code),), dice)


def at_seat(seat: int) -> OptionDetails:
    return OptionDetails((Target(seat=seat),))


def one_die(big: bool) -> DiceToPlace:
    return DiceToPlace(int(not big), int(big))


def make_option(
    choice: str, label: str, details: OptionDetails, standing: Standings = UNSET, preview: Preview = UNSET
) -> Option:
    targets = details.targets
    return Option(
        choice,
        as_text(label),
        targets[0] if len(targets) == 1 else None,
        targets=targets if len(targets) > 1 else UNSET,
        dice=UNSET if details.dice is None else details.dice,
        standing=standing,
        preview=preview,
    )


StepWork = Callable[["Table", Step], None]
Choices = Callable[["State", Ask, int], tuple[str, ...]]
Label = Callable[["State", Ask, int, str], str]
Answered = Callable[["Table", Ask, Mapping[int, str]], None]
Odds = Callable[["State", Ask, str], float]
Guesses = Callable[["State", Ask], tuple[str, ...]]
Details = Callable[["State", Ask, int, str], OptionDetails]
Recall = Callable[["State", "Asked"], tuple[int | str, ...]]
FindPath = Callable[["PathContext", str], Path]
FollowUp = Callable[["State", "Asked"], tuple[Item, ...]]


class Asked(Struct, frozen=True):
    """A question as it is described: whom it asks, about which casino, and what the tile that asks shows."""

    seat: int
    number: int | None
    shown: Mapping[str, Any]


class PathContext(Struct, frozen=True):
    """A question whose options are asked for in steps; `casinos` are their names as people read them."""

    state: State
    ask: Ask
    seat: int
    casinos: Mapping[Casino, str]

    def at_casino(self, number: Casino) -> PathStep:
        """Return the step that is a casino's name."""
        return PathStep(Target(casino=number), self.casinos[number])


def details_of_asking_tile(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return at_tile(ask.tile) if ask.tile else NOTHING_THERE


class Prompt(Struct, frozen=True):
    """A question: who may answer it how, and what an answer does.

    `rule` is the ruling or the place in a book that the options rest on; `text` is the question.
    `verbs` are first words of choices that rest on a rule of their own.
    `secret` answers stay sealed for their seat until something reveals them.
    `private` options would tell what a seat holds: they are not on the agenda, but worked out for that seat.
    `odds`, where money and luck alone are at stake, are the dollars that a choice wins on average if all
    later choices are the best ones.
    `guesses`, where the question is about a sealed answer, are what that answer may be.
    `details` says which things on the table a choice concerns: by default the tile that asks.
    `recall` gives the data of the question in a described table, and raises InvalidPosition where the
    description lacks it. `below` is what follows on the agenda there; by default the next turn.
    `path` divides a choice into smaller questions; it is used where there are many choices.
    `for_others` marks a question to another seat than the one whose turn it is.
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
    details: Details = details_of_asking_tile
    recall: Recall | None = None
    below: FollowUp | None = None
    path: FindPath | None = None
    for_others: bool = False

    def __post_init__(self) -> None:
        """Let the question be translated."""
        force_setattr(self, "text", as_text(self.text))

    def rule_of(self, choice: str) -> str:
        """The rule that a choice rests on, or that forbids it."""
        return self.verbs.get(verb_of(choice)) or self.rule
