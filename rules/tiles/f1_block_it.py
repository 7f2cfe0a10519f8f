"""BLOCK IT!: clusters of grey dice, to block a casino with."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from events.agenda import Ask
from events.text import Text
from events.values import BOX, CASINO, CASINO_NUMBERS, GREY, Dice, spot
from rules.choice import read_choice, write_choice
from rules.extension import Member
from rules.prompt import (
    DiceToPlace,
    OptionDetails,
    Path,
    PathContext,
    PathStep,
    Prompt,
    Target,
    at_casino,
)
from rules.restore import InvalidPosition, with_heap
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import quantity

CODE = "F1"
CLUSTERS = {spot(CODE, place): size for place, size in enumerate((1, 1, 2, 2, 3), 1)}


def setup(table: Table, number: int) -> None:
    for place, size in CLUSTERS.items():
        table.move_dice(GREY, BOX, place, small=size)


def clusters(state: State) -> tuple[int, ...]:
    """Sizes of the clusters still on the tile."""
    return tuple(size for place, size in CLUSTERS.items() if state.dice_of(GREY, place).small)


def acts(state: State, seat: int, number: int) -> bool:
    return bool(clusters(state))


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("F1.block", seat, tile=CODE)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """Equal clusters are one option; every open casino may be blocked (T10)."""
    whole = sorted(set(clusters(state)))
    return tuple(write_choice("block", size, number) for size in whole for number in state.open)


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    size, number = read_choice(choice).numbers
    return Text("Put {dice} on casino {number}", dice=quantity(size, "grey die", "grey dice"), number=number)


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    size, number = read_choice(choice).numbers
    return at_casino(number, DiceToPlace(size, 0, owner=GREY))


def find_path(context: PathContext, choice: str) -> Path:
    """The cluster, then the casino that gets it."""
    size, number = read_choice(choice).numbers
    cluster = Text("Take {dice}", dice=quantity(size, "grey die", "grey dice"))
    return PathStep(Target(tile=CODE), cluster), context.at_casino(number)


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for choice in answers.values():
        size, number = read_choice(choice).numbers
        full = (place for place, dice in CLUSTERS.items() if dice == size)
        source = next(place for place in full if table.state.dice_of(GREY, place).small)
        table.move_dice(GREY, source, CASINO[number], small=size)


def shows(state: State) -> dict[str, object]:
    return {"clusters": list(clusters(state))}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    sizes = list(shown["clusters"] if "clusters" in shown else _clusters_left(state))
    for place, size in CLUSTERS.items():
        there = {GREY: Dice(size)} if size in sizes else {}
        if there:
            sizes.remove(size)
        state = with_heap(state, place, there)
    if sizes:
        raise InvalidPosition(
            "clusters", Text("there are clusters of {sizes} dice", sizes=str(sorted(CLUSTERS.values())))
        )
    return state


def _clusters_left(state: State) -> tuple[int, ...]:
    """The clusters that are left when whole clusters have gone to the casinos."""
    every = tuple(CLUSTERS.values())
    left = sum(every) - sum(state.dice_of(GREY, CASINO[number]).small for number in CASINO_NUMBERS)
    for count in range(len(every), -1, -1):
        for some in combinations(every, count):
            if sum(some) == left:
                return some
    raise InvalidPosition("clusters", "must say what still lies here")


BLOCK_IT = Tile(
    code=CODE,
    name="Block It!",
    gist="Put grey dice on a casino",
    text="Put one of the clusters of grey dice on any open casino. "
    "Grey dice count there as those of an imaginary player.",
    other="F2",
    setup=setup,
    activated=activated,
    acts=acts,
    shows=shows,
    restore=restore,
    members={
        "clusters": Member(
            list[int], "How many grey dice each cluster has that still lies here.", brief="clusters {value}"
        )
    },
    brings=(GREY,),
    prompts={
        "F1.block": Prompt(
            choices,
            label,
            answered,
            rule="000 BLOCK IT!, T-F1, T10",
            text="Put grey dice on a casino",
            details=details,
            path=find_path,
        )
    },
)
