"""Functions that tiles and prompts use to restore their state from a described table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from events.agenda import Step
from events.text import Text
from events.values import OWNER, Dice, Place
from rules.extension import Size, TileDice

if TYPE_CHECKING:
    from rules.state import Heap, State

FACES = range(1, 7)
ROUND_END = "round.end"
TIES = "payout.ties"


class InvalidPosition(Exception):
    """A member of what a tile or a question shows is impossible, or is missing though it is needed."""

    def __init__(self, member: str, detail: str) -> None:
        super().__init__(detail)
        self.member = member
        self.detail = detail


def is_paying(state: State) -> bool:
    """Whether the payout of the round has begun."""
    return ROUND_END in _steps(state)


def has_removed_ties(state: State) -> bool:
    return is_paying(state) and TIES not in _steps(state)


def _steps(state: State) -> list[str]:
    return [item.name for item in state.agenda if isinstance(item, Step)]


def with_counter(state: State, counter: str, value: int) -> State:
    return replace(state, counters={**state.counters, counter: value})


def with_token(state: State, token: str, place: Place) -> State:
    return replace(state, tokens={**state.tokens, token: place})


def with_heap(state: State, place: Place, heap: Heap) -> State:
    return replace(state, dice={**state.dice, place: heap})


def check_seat(state: State, member: str, seat: int | None) -> int | None:
    """Return the seat. Raises InvalidPosition where the game has no such seat."""
    if seat is not None and not 0 <= seat < len(state.seats):
        raise InvalidPosition(member, Text("there are seats 0 to {last}", last=len(state.seats) - 1))
    return seat


def put_dice(state: State, member: str, place: Place, dice: Iterable[TileDice]) -> State:
    """Put dice of several seats on a space. Raises InvalidPosition."""
    heap: dict[str, Dice] = {}
    for lot in dice:
        if lot["owner"] not in OWNER[: len(state.seats)]:
            raise InvalidPosition(member, Text("nobody is called {owner} here", owner=lot["owner"]))
        if lot["small"] < 0 or lot["big"] < 0 or lot["owner"] in heap:
            raise InvalidPosition(member, "must list each seat's dice once, and no negative number")
        heap[lot["owner"]] = Dice(lot["small"], lot["big"])
    return with_heap(state, place, {owner: lot for owner, lot in heap.items() if lot.count})


def put_die(state: State, member: str, place: Place, seat: int | None, size: Size | None) -> State:
    """Put a single die on a space, or none. Raises InvalidPosition."""
    if (check_seat(state, member, seat) is None) != (size is None):
        raise InvalidPosition(member, "whose die it is and which one go together")
    lone = {} if seat is None else {OWNER[seat]: Dice(int(size == "small"), int(size == "big"))}
    return with_heap(state, place, lone)


def check_throw(member: str, thrown: list[int] | None) -> tuple[int, ...]:
    """Return what two black dice show. Raises InvalidPosition."""
    if thrown is None or len(thrown) != 2 or not all(face in FACES for face in thrown):
        raise InvalidPosition(member, "must say what the two black dice show")
    return tuple(thrown)
