"""DOUBLE DOWN: a second casino on the tile, fed from the first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.agenda import Ask, require
from events.text import Text, listed
from events.values import CASINO, OWNER, Dice, Owner, seat_of, spot
from rules.choice import read_choice, write_choice
from rules.extension import Member, TileDice, show_dice
from rules.mechanics.bank import pay
from rules.mechanics.ranking import ranking
from rules.prompt import DiceToPlace, OptionDetails, Path, PathContext, PathStep, Prompt, Target, at_tile
from rules.restore import put_dice
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize, quantity

CODE = "G2"
SPACE = spot(CODE, "space")
PRIZES = (60_000, 30_000)
LEAVE = "leave"
STAY = Text("Leave all your dice in the casino")
ALONE = Text("The big die alone")
# From so many small dice on, their number is asked for in two steps.
MANY = 6


def acts(state: State, seat: int, number: int) -> bool:
    return state.own_dice(seat, number).count > 0


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("G2.move", seat, number=number, tile=CODE)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """Any number of own dice from this casino (T-G2)."""
    here = state.own_dice(seat, require(ask.number))
    moves = [(small, big) for small in range(here.small + 1) for big in range(here.big + 1) if small or big]
    return (*(write_choice("move", small, big) for small, big in moves), LEAVE)


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    if choice == LEAVE:
        return STAY
    small, big = read_choice(choice).numbers
    parts = []
    if small:
        parts.append(quantity(small, "small die", "small dice"))
    if big:
        parts.append(Text("the big die"))
    first, second = map(prize, PRIZES)
    return Text(
        "Move {dice} from casino {number} to the tile, which pays {first} for most dice there "
        "and {second} for second most",
        dice=listed(parts),
        number=require(ask.number),
        first=first,
        second=second,
    )


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    if choice == LEAVE:
        return at_tile(CODE)
    small, big = read_choice(choice).numbers
    return at_tile(CODE, DiceToPlace(small, big))


def find_path(context: PathContext, choice: str) -> Path:
    """Whether the big die goes, then how many small dice; seven of them in two portions."""
    tile = Target(tile=CODE)
    if choice == LEAVE:
        return (PathStep(tile, STAY),)
    small, big = read_choice(choice).numbers
    dice = quantity(small, "small die", "small dice")
    most = context.state.own_dice(context.seat, require(context.ask.number)).small
    if big:
        first = PathStep(Target(die="big"), Text("Move the big die"))
        last = PathStep(Target(die="small"), Text("Also {dice}", dice=dice) if small else ALONE)
    else:
        first = PathStep(Target(die="small"), Text("Move small dice only"))
        last = PathStep(Target(die="small"), Text("Move {dice}", dice=dice))
    if most < MANY:
        return first, last
    portion = Text("Up to three small dice") if small <= MANY // 2 else Text("More than three small dice")
    return first, PathStep(tile, portion), last


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        if choice != LEAVE:
            small, big = read_choice(choice).numbers
            table.move_dice(OWNER[seat], CASINO[require(ask.number)], SPACE, small=small, big=big)


def payout(table: Table, number: int, order: tuple[Owner, ...]) -> None:
    for owner, amount in zip(ranking(table.state, SPACE), PRIZES, strict=False):
        seat = seat_of(owner)
        if seat is not None:
            pay(table, seat, amount)


def shows(state: State) -> dict[str, object]:
    return {"dice": show_dice(state, SPACE)}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    return put_dice(state, "dice", SPACE, shown.get("dice", ()))


DOUBLE_DOWN = Tile(
    code=CODE,
    name="Double Down",
    gist="A second casino: $60k, $30k",
    text="Move any number of your dice from this casino to the tile. "
    "It pays like a casino of its own: $60,000 to the first and $30,000 to the second, ties removed.",
    other="G1",
    activated=activated,
    acts=acts,
    payout=payout,
    shows=shows,
    restore=restore,
    members={"dice": Member(list[TileDice], "The dice on the tile, by owner.", brief="dice {value}")},
    paying_space=SPACE,
    prompts={
        "G2.move": Prompt(
            choices,
            label,
            answered,
            rule="000 DOUBLE DOWN, T-G2",
            text="Move own dice to the tile",
            details=details,
            path=find_path,
        )
    },
)
