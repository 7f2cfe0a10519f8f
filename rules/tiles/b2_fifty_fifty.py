"""FIFTY FIFTY: higher or lower with two black dice, for a growing prize."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

from events.agenda import Ask
from events.text import Text
from events.types import CounterMoved
from events.values import Dice
from rules.extension import Member, numbers_asked_with
from rules.mechanics.bank import pay
from rules.prompt import Asked, Prompt
from rules.restore import InvalidPosition, with_counter
from rules.state import State
from rules.table import Table
from rules.tile import Tile
from rules.wording import prize

CODE = "B2"
START = 0
TRACK = (0, 0, 10_000, 30_000, 40_000, 60_000)
LAST = len(TRACK) - 1
THROWS = tuple(map(sum, product(range(1, 7), repeat=2)))


def setup(table: Table, number: int) -> None:
    table.record(CounterMoved(CODE, START))


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    thrown = sum(table.roll_black())
    table.record(CounterMoved(CODE, START + 1))
    table.ask("B2.bet", seat, number=number, tile=CODE, data=(thrown,))


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return ("keep", "bet-high", "bet-low")


HIGHER = "Bet that two dice sum up higher than {sum}: {prize} or nothing"
LOWER = "Bet that two dice sum up lower than {sum}: {prize} or nothing"


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    space = state.counters[CODE]
    if choice == "keep":
        return Text("Stop here and take {prize}", prize=prize(TRACK[space]))
    bet = HIGHER if choice == "bet-high" else LOWER
    return Text(bet, sum=ask.data[0], prize=prize(TRACK[space + 1]))


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    for seat, choice in answers.items():
        if choice == "keep":
            _cash_in(table, seat, TRACK[table.state.counters[CODE]])
        else:
            _gamble(table, ask, seat, choice == "bet-high")


def _gamble(table: Table, ask: Ask, seat: int, high: bool) -> None:
    """The same sum again loses either bet (T-B2)."""
    before = int(ask.data[0])
    thrown = sum(table.roll_black())
    space = table.state.counters[CODE] + 1
    won = thrown > before if high else thrown < before
    if not won:
        _cash_in(table, seat, 0)
    elif space == LAST:
        _cash_in(table, seat, TRACK[LAST])
    else:
        table.record(CounterMoved(CODE, space))
        table.ask("B2.bet", seat, number=ask.number, tile=CODE, data=(thrown,))


def _cash_in(table: Table, seat: int, amount: int) -> None:
    pay(table, seat, amount)
    table.record(CounterMoved(CODE, START))


def odds(state: State, ask: Ask, choice: str) -> float:
    space = state.counters[CODE]
    before = int(ask.data[0])
    return TRACK[space] if choice == "keep" else _bet_wins(space, before, choice == "bet-high")


def _bet_wins(space: int, before: int, high: bool) -> float:
    won = (thrown for thrown in THROWS if (thrown > before if high else thrown < before))
    return sum(_best_wins(space + 1, thrown) for thrown in won) / len(THROWS)


@cache
def _best_wins(space: int, before: int) -> float:
    """The average prize for the best choices from here on."""
    if space == LAST:
        return TRACK[LAST]
    return max(TRACK[space], _bet_wins(space, before, high=True), _bet_wins(space, before, high=False))


def shows(state: State) -> dict[str, object]:
    space = state.counters[CODE]
    thrown = numbers_asked_with(state, "B2.bet")
    return {"space": space, "prize": TRACK[space], "sum": thrown[0] if thrown else None}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    space = shown.get("space", START)
    if not START <= space < LAST:
        raise InvalidPosition("space", Text("must be between {least} and {most}", least=START, most=LAST - 1))
    return with_counter(state, CODE, space)


def recall(state: State, asked: Asked) -> tuple[int | str, ...]:
    thrown = asked.shown.get("sum")
    if thrown not in THROWS:
        raise InvalidPosition("sum", "must be the sum of the last throw, from 2 to 12")
    if state.counters[CODE] == START:
        raise InvalidPosition("space", "while somebody bets the counter has left its start")
    return (thrown,)


FIFTY_FIFTY = Tile(
    code=CODE,
    name="Fifty Fifty",
    gist="Higher or lower: up to $60k",
    text="Bet whether two black dice will sum up higher or lower than before: every win raises the prize, "
    "up to $60,000. Stop in time, because a lost bet takes all of it.",
    other="B1",
    setup=setup,
    activated=activated,
    shows=shows,
    restore=restore,
    members={
        "space": Member(int, "The space of the counter, 0 being the start.", brief="space {value}"),
        "prize": Member(int, "What stopping on that space would win, in dollars.", brief="prize ${value}"),
        "sum": Member(
            int | None,
            "The sum of the last throw, which the next bet is about; null while nobody bets.",
            brief="sum {value}",
        ),
    },
    track=TRACK,
    prompts={
        "B2.bet": Prompt(
            choices,
            label,
            answered,
            rule="000 FIFTY FIFTY, T-B2, T9",
            text="Stop, or bet high or low",
            odds=odds,
            recall=recall,
        )
    },
)
