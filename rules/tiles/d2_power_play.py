"""POWER PLAY: who alone leads here may set a die instead of rolling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.agenda import Ask
from events.text import Text
from events.types import TokenMoved, TurnStarted
from events.values import CASINO, OWNER, SUPPLY, Dice, spot
from rules.extension import Member
from rules.mechanics import place_or_take_back
from rules.mechanics.dice_turn import roll
from rules.mechanics.ranking import weights
from rules.prompt import NOTHING_THERE, Asked, OptionDetails, Path, PathContext, PathStep, Prompt
from rules.restore import InvalidPosition, check_seat, with_token
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "D2"
TOKEN_SPOT = spot(CODE, "token")


def setup(table: Table, number: int) -> None:
    table.record(TokenMoved(CODE, TOKEN_SPOT))


def owner(state: State) -> int | None:
    place = state.tokens.get(CODE, TOKEN_SPOT)
    return None if place == TOKEN_SPOT else SUPPLY.index(place)


def leads(state: State, seat: int, number: int) -> bool:
    """Whether the seat has more dice at the casino than every other player, imaginary ones too (T-D2)."""
    weighed = weights(state.heap(CASINO[number]))
    own = weighed.pop(OWNER[seat], 0)
    return own > max(weighed.values(), default=0)


def acts(state: State, seat: int, number: int) -> bool:
    return owner(state) != seat and leads(state, seat, number)


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.record(TokenMoved(CODE, SUPPLY[seat]))


def dice_changed(table: Table, number: int) -> None:
    seat = owner(table.state)
    if seat is not None and not leads(table.state, seat, number):
        table.record(TokenMoved(CODE, TOKEN_SPOT))


def before_roll(table: Table, seat: int) -> bool:
    if owner(table.state) != seat:
        return False
    table.record(TurnStarted(seat))
    table.ask("D2.turn", seat, tile=CODE)
    return True


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return ("roll", *place_or_take_back.place_choices(state, seat))


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        if choice == "roll":
            roll(table, seat)
        else:
            number, big = place_or_take_back.place(table, seat, choice)
            table.activate(seat, number, int(not big), big=int(big))


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    return NOTHING_THERE if choice == "roll" else place_or_take_back.details(state, ask, seat, choice)


ROLL = Text("Roll all your dice")


def find_path(context: PathContext, choice: str) -> Path:
    if choice == "roll":
        return (PathStep(None, ROLL),)
    return place_or_take_back.find_path(context, choice)


def turn_prompt(tiles: Mapping[str, Tile]) -> Prompt:
    """The question to roll or to place a die; labels say where a tile would act on it."""

    def label(state: State, ask: Ask, seat: int, choice: str) -> str:
        if choice == "roll":
            return ROLL
        acting = place_or_take_back.would_activate(tiles, state, seat, choice)
        placing = place_or_take_back.place_label(choice)
        return Text("{placing}, which activates its tile", placing=placing) if acting else placing

    rule = "000 POWER PLAY, T-D2, T6"
    text = "Roll, or place one die"
    return Prompt(
        choices, label, answered, rule=rule, text=text, details=details, recall=recall, path=find_path
    )


def shows(state: State) -> dict[str, object]:
    return {"token": owner(state)}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    seat = check_seat(state, "token", shown.get("token"))
    if seat is None:
        return state
    if not leads(state, seat, state.tiles.index(CODE) + 1):
        raise InvalidPosition(
            "token", Text("seat {seat} has not more dice there than everybody else", seat=seat)
        )
    return with_token(state, CODE, SUPPLY[seat])


def recall(state: State, asked: Asked) -> tuple[int | str, ...]:
    if owner(state) != asked.seat:
        raise InvalidPosition(
            "token", Text("only its owner is asked, and seat {seat} is not said to be", seat=asked.seat)
        )
    return ()


POWER_PLAY = Tile(
    code=CODE,
    name="Power Play",
    gist="Lead here, then set a die",
    text="Whoever activates it with more dice here than any other player takes the token. "
    "While that lead lasts, its owner may open a turn by placing one die on any open casino instead of "
    "rolling, which activates the tile there.",
    other="D1",
    setup=setup,
    activated=activated,
    acts=acts,
    dice_changed=dice_changed,
    before_roll=before_roll,
    shows=shows,
    restore=restore,
    members={
        "token": Member(
            int | None, "The seat that owns the token; null while it lies here.", brief="token of #{value}"
        )
    },
    prompts={"D2.turn": turn_prompt},
)
