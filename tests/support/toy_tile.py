"""A seventeenth tile that no box has."""

from __future__ import annotations

from collections.abc import Mapping

from events.agenda import Ask
from events.types import CounterMoved
from events.values import Dice
from rules.choice import read_choice, write_choices
from rules.extension import Member
from rules.mechanics.bank import pay
from rules.prompt import Prompt
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "Z1"


def setup(table: Table, number: int) -> None:
    table.record(CounterMoved(CODE, 0))


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    table.ask("Z1.bet", seat, number=number, tile=CODE)


def choices(state: State, ask: Ask, seat: int) -> tuple[str, ...]:
    return write_choices("bet", ("odd", "even"))


def label(state: State, ask: Ask, seat: int, choice: str) -> str:
    return f"Bet a chip's worth on {read_choice(choice).words[0]}"


def answered(table: Table, ask: Ask, answers: Mapping[int, str]) -> None:
    odd = sum(table.roll_black()) % 2 == 1
    table.record(CounterMoved(CODE, table.state.counters[CODE] + 1))
    for seat, choice in answers.items():
        if odd == (choice == "bet-odd"):
            pay(table, seat, 10_000)


def shows(state: State) -> dict[str, object]:
    return {"bets": state.counters[CODE]}


ROUGE_ET_NOIR = Tile(
    code=CODE,
    name="ROUGE ET NOIR",
    text="Bet on odd or even: two black dice pay a chip if you are right.",
    other="Z2",
    setup=setup,
    activated=activated,
    shows=shows,
    members={"bets": Member(int, "How often somebody bet in this round.")},
    prompts={"Z1.bet": Prompt(choices, label, answered, "T0", "Bet on odd or even")},
)
