"""NO ENTRY!: a token that closes one casino, and a track of prizes for moving it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.agenda import Ask
from events.text import Text
from events.types import CasinoClosed, CasinoOpened, CounterMoved, TokenMoved
from events.values import CASINO, CASINO_NUMBERS, Dice, spot
from rules.choice import read_choice, write_choices
from rules.extension import Member
from rules.mechanics.bank import pay
from rules.prompt import OptionDetails, Prompt, at_casino, details_of_asking_tile
from rules.restore import InvalidPosition, with_counter, with_token
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize

CODE = "E1"
TRACK = (0, 20_000, 0, 30_000, 0, 10_000)
TOKEN_SPOT = spot(CODE, "token")


def setup(table: Table, number: int) -> None:
    table.record(TokenMoved(CODE, TOKEN_SPOT))
    table.record(CounterMoved(CODE, 0))


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("E1.close", seat, number=number, tile=CODE)


def closed_casino(state: State) -> int | None:
    """The casino the token lies on."""
    place = state.tokens[CODE]
    return None if place == TOKEN_SPOT else CASINO.index(place)


def next_prize(state: State) -> int:
    return TRACK[_next_space(state)]


def _next_space(state: State) -> int:
    return (state.counters[CODE] + 1) % len(TRACK)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    """The first has to put the token down, later ones may leave it (T-E1)."""
    shut = closed_casino(state)
    others = write_choices("close", (n for n in CASINO_NUMBERS if n not in (ask.number, shut)))
    return others if shut is None else (*others, "leave")


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    shut = closed_casino(state)
    if choice == "leave":
        return Text("Leave casino {shut} closed and win nothing", shut=str(shut))
    number = read_choice(choice).number
    reward = prize(next_prize(state))
    if shut is None:
        return Text("Close casino {number} to all dice: {prize} for you", number=number, prize=reward)
    return Text(
        "Close casino {number} to all dice: casino {shut} opens again, {prize} for you",
        number=number,
        shut=shut,
        prize=reward,
    )


def details(state: State, ask: Ask, seat: int, choice: str) -> OptionDetails:
    if choice == "leave":
        return details_of_asking_tile(state, ask, seat, choice)
    return at_casino(read_choice(choice).number)


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        if choice != "leave":
            _close(table, read_choice(choice).number)
            _step(table, seat)


def _close(table: Table, number: int) -> None:
    before = closed_casino(table.state)
    if before is not None:
        table.record(CasinoOpened(before))
    table.record(TokenMoved(CODE, CASINO[number]))
    table.record(CasinoClosed(number))


def _step(table: Table, seat: int) -> None:
    reward = next_prize(table.state)
    table.record(CounterMoved(CODE, _next_space(table.state)))
    pay(table, seat, reward)


def shows(state: State) -> dict[str, object]:
    return {"closed": closed_casino(state), "space": state.counters[CODE], "next_prize": next_prize(state)}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    """Restore token and counter; where `closed` is not described, the casinos say which one is."""
    shut = shown["closed"] if "closed" in shown else next(iter(state.closed), None)
    if shut is None:
        return with_counter(state, CODE, _space_told(shown, 0))
    if shut not in CASINO_NUMBERS or shut == state.tiles.index(CODE) + 1:
        raise InvalidPosition("closed", "must be another casino, from 1 to 6")
    return with_counter(with_token(state, CODE, CASINO[shut]), CODE, _space_told(shown, None))


def _space_told(shown: Mapping[str, Any], start: int | None) -> int:
    space = shown.get("space", start)
    if space not in range(len(TRACK)):
        raise InvalidPosition(
            "space", Text("must be between 0 and {last}: how far the counter has come", last=len(TRACK) - 1)
        )
    return int(space)


NO_ENTRY = Tile(
    code=CODE,
    name="No Entry!",
    gist="Close a casino, take a prize",
    text="The token closes another casino: no die enters or leaves it and its tile rests. "
    "Each move takes the next prize of the track.",
    other="E2",
    setup=setup,
    activated=activated,
    shows=shows,
    restore=restore,
    members={
        "closed": Member(
            int | None,
            "The casino that the token closes; null while it lies on the tile.",
            brief="closes casino {value}",
        ),
        "space": Member(
            int, "The space of the counter on the round track, 0 being the start.", brief="space {value}"
        ),
        "next_prize": Member(
            int, "What moving the token next wins, in dollars.", brief="next prize ${value}"
        ),
    },
    track=TRACK,
    prompts={
        "E1.close": Prompt(
            choices, label, answered, rule="000 NO ENTRY!, T-E1", text="Close a casino", details=details
        )
    },
)
