"""Defines what is ordered from the workers and what they return: advice, decisions and analyses."""

from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from events.text import restore_text, store_text
from rules import State

# The contract is rendered from these types, so each figure is described here.
Money = Annotated[
    int | None,
    Meta(description="What the seat expects from this round, in dollars; null where not worked out."),
]
Win = Annotated[
    float | None, Meta(description="The seat's chance to win the game; null where it was not worked out.")
]
Why = Annotated[str, Meta(description="In a plain sentence.")]


Exact = Annotated[
    bool,
    Meta(description="Whether `money` and `win` come from every throw that can come, not from a sample."),
]
Rivals = Annotated[
    str,
    Meta(description="The rule by which rivals play in exact figures (docs/bots.md); else empty."),
]


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
    exact: bool = False
    rivals: str = ""


class AdviceOrder(Struct, frozen=True):
    """What the seat sees, and nothing else; a budget of 0 is the bot's own."""

    view: State
    seat: int
    bot: str
    budget: int


class Advice(Struct, frozen=True):
    """First what the bot would take, the others by their chance to win."""

    options: tuple[WeighedOption, ...]
    bot: str
    build: str
    budget: Annotated[int, Meta(description="How much the bot thought, in its own measure.")]
    instead_of: Annotated[
        str, Meta(description="The level that gave no answer, so that the next lower one did; else empty.")
    ] = ""
    fault: Annotated[str, Meta(description="What was wrong with that level; else empty.")] = ""
    exact: Exact = False
    rivals: Rivals = ""


# The format of stored results. It is part of a task's id, so that no other format is read by mistake.
FORM = "5"
Result = TypeVar("Result")
_encoder = msgspec.json.Encoder(enc_hook=store_text)


def encode_result(result: Any) -> bytes:
    """Return a result as it is stored: its texts can be put into any language later."""
    return _encoder.encode(result)


def decode_result(stored: bytes, kind: type[Result]) -> Result:
    """Return a result that was stored, with its texts; those that were stored as English stay English."""
    result: Result = _restore(msgspec.json.decode(stored, type=kind))
    return result


def _restore(value: Any) -> Any:
    if isinstance(value, str):
        return restore_text(value)
    if isinstance(value, tuple):
        return tuple(map(_restore, value))
    if isinstance(value, Struct):
        return replace(value, **{name: _restore(getattr(value, name)) for name in value.__struct_fields__})
    return value


Chance = Annotated[float, Meta(description="A chance to win, or a difference of two, from 0 to 1.")]


class AnalysisOrder(Struct, frozen=True):
    """A game that is over, and its last version then."""

    game: str
    version: int


class Better(Struct, frozen=True):
    """The best alternative to a mistake. Analyses from before labels were kept have none."""

    choice: str
    money: Money
    win: Win
    why: Why
    label: Annotated[str, Meta(description="What it would have done, in words.")] = ""
    made: Annotated[str, Meta(description="What was chosen instead, in words.")] = ""


class ChoiceSeen(Struct, frozen=True):
    """A choice as the expert sees it, or what the end brought a seat after its last one."""

    version: Annotated[int, Meta(description="Of the commit in which it was made.")]
    seat: int
    choice: Annotated[str, Meta(description="Empty at the end, where nothing is chosen.")]
    best: Annotated[str, Meta(description="What the expert takes for the best; empty at the end.")]
    before: Annotated[Chance, Meta(description="Its chance to win with the best choice, or what it won.")]
    after: Annotated[Chance, Meta(description="Its chance to win with what it chose, or what it won.")]
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
    forced: Annotated[
        bool, Meta(description="There was nothing else to choose: it cost nothing, and counts as no choice.")
    ] = False
    ending: Annotated[
        bool, Meta(description="The end of the game, not a choice: `version` is the game's last.")
    ] = False
    looks: Annotated[
        int,
        Meta(
            description="How many looks of the expert the figures are the mean of: 1, or several where the "
            "choice may be a mistake. 0 at the end, and in analyses that were made before this was counted."
        ),
    ] = 0
    mistake: Annotated[
        bool, Meta(description="Every look of the expert found that it cost a point of winning chance.")
    ] = False
    better: Annotated[
        Better | None, Meta(description="What would have been best instead of a mistake; else null.")
    ] = None


class AnalysisPart(Struct, frozen=True):
    """The choices of a game that were judged so far, as a worker stores them between two steps."""

    seen: tuple[ChoiceSeen, ...] = ()


class SeatSeen(Struct, frozen=True):
    """`won` = `even` + `luck` + `others` - `lost`; what the expert misjudged counts as luck."""

    seat: int
    name: str | None
    won: Annotated[Chance, Meta(description="Of the game: all, nothing, or a part of a shared victory.")]
    even: Annotated[Chance, Meta(description="What an equal among equals would win.")]
    luck: Annotated[float, Meta(description="What dice and draws brought, in chances to win.")]
    others: Annotated[float, Meta(description="What the others' choices gave it, which cost them as much.")]
    lost: Annotated[float, Meta(description="What its own choices cost against the best ones.")]
    choices: Annotated[int, Meta(description="Among several options: forced ones are not counted.")]
    best_choices: Annotated[int, Meta(description="How many of them the expert would have made, too.")]
    worst: Annotated[
        int | None, Meta(description="The version of its dearest choice; null if none cost anything.")
    ]
    text: Annotated[str, Meta(description="In plain sentences.")]


class Analysis(Struct, frozen=True):
    """By a bot that sees at each choice what the seat saw then."""

    bot: str
    build: str
    budget: Annotated[
        int,
        Meta(
            description="Simulations of each option of a choice that may be a mistake: of several looks, "
            "each with what the bot has at a table and with luck of its own. Figures are the mean of these."
        ),
    ]
    seats: tuple[SeatSeen, ...]
    turning_points: Annotated[
        tuple[ChoiceSeen, ...],
        Meta(description="Where a seat's chance changed most, by luck or by choice, the end included."),
    ]
    choices: Annotated[
        tuple[ChoiceSeen, ...],
        Meta(
            description="Of all seats, forced ones too; without those that are drawn so that nobody guesses."
        ),
    ]
    unjudged: Annotated[int, Meta(description="Choices that the bot gave no answer about.")] = 0
    endings: Annotated[
        tuple[ChoiceSeen, ...],
        Meta(
            description="What the end brought each seat after its last choice. With it nothing is left over: "
            "`luck` of a seat's choices and its ending sum up to `luck` of the seat, `others` and `loss` too."
        ),
    ] = ()
