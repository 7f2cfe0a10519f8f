"""What mechanisms and tiles add to the table that clients see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from events.secrecy import Secret
from events.values import Owner, Place, seat_of

if TYPE_CHECKING:
    from rules.state import State

Size = Literal["small", "big"]
Members = dict[str, Any]
S = TypeVar("S", bound=Struct)


class Member(Struct, frozen=True):
    """One member of what a tile shows: `shape` is its type, `text` a sentence for people."""

    shape: Any
    text: str


class Standing(Struct, frozen=True, gc=False):
    """What a player with dice at a casino would get there if the round ended now; the tied get nothing."""

    owner: Owner
    weight: int
    tied: bool
    notes: tuple[int, ...]


class ExtraCasino(Struct, frozen=True):
    """A casino beside the six; in its `stacks`, by the number they show, dice keep their faces."""

    number: Literal["bandit"]
    name: str
    place: Place
    stacks: tuple[tuple[int, Place], ...]
    standing: tuple[Standing, ...] = ()


def _nothing(state: State) -> Members:
    return {}


def _nothing_at(state: State, where: int) -> Members:
    return {}


def _no_casinos(state: State) -> tuple[ExtraCasino, ...]:
    return ()


class TableExtension(Struct, frozen=True):
    """What a mechanism adds to the table that clients see: to the whole, to a seat, to a numbered casino.

    It is called for every table of an edition that lists it, also before the game begins, and adds nothing
    where the mechanism is not in play. What a viewer may not see goes through `show_secret`.
    """

    table: Callable[[State], Members] = _nothing
    seat: Callable[[State, int], Members] = _nothing_at
    casino: Callable[[State, int], Members] = _nothing_at
    casinos: Callable[[State], tuple[ExtraCasino, ...]] = _no_casinos


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
    small: int
    big: int


def show_dice(state: State, place: Place) -> list[TileDice]:
    return [
        {"owner": owner, "small": dice.small, "big": dice.big} for owner, dice in state.heap(place).items()
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
