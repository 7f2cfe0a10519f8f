"""What mechanisms and tiles add to the table that clients see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, TypeVar

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from events.secrecy import Secret
from events.text import as_text
from events.values import Owner, Place, seat_of

if TYPE_CHECKING:
    from rules.state import State

Size = Literal["small", "big"]
Members = dict[str, Any]
S = TypeVar("S", bound=Struct)


class Member(Struct, frozen=True):
    """One member of what a tile shows: `shape` is its type, `text` a sentence for people.

    `brief` is how a table in text says a `{value}` of it; without one the member's name is said.
    """

    shape: Any
    text: str
    brief: str = ""

    def __post_init__(self) -> None:
        """Let the text be translated."""
        force_setattr(self, "text", as_text(self.text))


class Standing(Struct, frozen=True, gc=False):
    """What a player with dice at a casino would get there if the round ended now; the tied get nothing."""

    owner: Owner
    weight: int
    tied: bool
    notes: tuple[int, ...]
    seat: int | None = None


class ExtraCasino(Struct, frozen=True):
    """A casino beside the six; in its `stacks`, by the number they show, dice keep their faces."""

    number: Literal["bandit"]
    name: str
    place: Place
    stacks: tuple[tuple[int, Place], ...]
    standing: tuple[Standing, ...] = ()

    def __post_init__(self) -> None:
        """Let the name be translated."""
        force_setattr(self, "name", as_text(self.name))


def _nothing(state: State) -> Members:
    return {}


def _nothing_at(state: State, where: int) -> Members:
    return {}


def _no_casinos(state: State) -> tuple[ExtraCasino, ...]:
    return ()


class TableExtension(Struct, frozen=True):
    """What a mechanism adds to the table that clients see: to the whole, to a seat, to a numbered casino.

    It is called for every table of an edition that lists it, also before the game begins, and adds nothing
    where the mechanism is not in play. What a viewer may not see goes through `show_secret`. `briefs` are how
    a table in text says a `{value}` of the members that it adds; members without one are not said there.
    """

    table: Callable[[State], Members] = _nothing
    seat: Callable[[State, int], Members] = _nothing_at
    casino: Callable[[State, int], Members] = _nothing_at
    casinos: Callable[[State], tuple[ExtraCasino, ...]] = _no_casinos
    briefs: Mapping[str, str] = {}


def add_members(shown: S, parts: Iterable[Members]) -> S:
    """Return `shown` with the members that mechanisms add; most of the time there are none."""
    for members in parts:
        if members:
            shown = replace(shown, **members)
    return shown


class HiddenValue(Struct, frozen=True):
    """A commitment in place of what the caller may not see."""

    hidden: str


def show_secret(secret: Secret[tuple[str, ...]]) -> tuple[str, ...] | HiddenValue:
    """The value where the viewer may see it, else its commitment."""
    return HiddenValue(secret.hidden) if secret.value is None else secret.value


class TileDice(TypedDict):
    """Dice of one owner that lie on a tile."""

    owner: str
    seat: NotRequired[int | None]
    small: int
    big: int


def show_dice(state: State, place: Place) -> list[TileDice]:
    return [
        {"owner": owner, "seat": seat_of(owner), "small": dice.small, "big": dice.big}
        for owner, dice in state.heap(place).items()
    ]


def single_die(state: State, place: Place) -> tuple[int | None, Size | None]:
    """The seat and the size of the die on a space that holds one die; both None when it is empty."""
    for owner, dice in state.heap(place).items():
        return seat_of(owner), "big" if dice.big else "small"
    return None, None


def numbers_asked_with(state: State, prompt: str) -> list[int] | None:
    """The numbers that an open question of this kind came with; None while there is no such question."""
    ask = state.ask
    return None if ask is None or ask.prompt != prompt else [int(number) for number in ask.data]
