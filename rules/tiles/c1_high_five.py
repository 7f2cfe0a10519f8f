"""HIGH FIVE: a token for the first to bring five dice here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from events.types import TokenMoved
from events.values import PURSE, Dice, Owner, spot
from rules.extension import Member
from rules.mechanics.bank import pay
from rules.restore import check_seat, with_token
from rules.state import State
from rules.table import Table
from rules.tile import Tile

CODE = "C1"
ENOUGH = 5
PRIZE = 100_000
TOKEN_SPOT = spot(CODE, "token")


def setup(table: Table, number: int) -> None:
    table.record(TokenMoved(CODE, TOKEN_SPOT))


def acts(state: State, seat: int, number: int) -> bool:
    return state.tokens[CODE] == TOKEN_SPOT and state.own_dice(seat, number).weight >= ENOUGH


def activated(table: Table, seat: int, number: int, placed: Dice) -> None:
    """Dice that leave later change nothing (T-C1)."""
    table.record(TokenMoved(CODE, PURSE[seat]))


def owner(state: State) -> int | None:
    place = state.tokens[CODE]
    return None if place == TOKEN_SPOT else PURSE.index(place)


def payout(table: Table, number: int, ranked: tuple[Owner, ...]) -> None:
    seat = owner(table.state)
    if seat is not None:
        pay(table, seat, PRIZE)


def shows(state: State) -> dict[str, object]:
    return {"token": owner(state)}


def restore(state: State, shown: Mapping[str, Any]) -> State:
    seat = check_seat(state, "token", shown.get("token"))
    return state if seat is None else with_token(state, CODE, PURSE[seat])


HIGH_FIVE = Tile(
    code=CODE,
    name="High Five",
    gist="First to five dice: $100k",
    text="The first to place a fifth die here, the big die counting as two, takes the token. "
    "It is worth $100,000 in the payout.",
    other="C2",
    setup=setup,
    activated=activated,
    acts=acts,
    payout=payout,
    shows=shows,
    restore=restore,
    members={
        "token": Member(
            int | None,
            "The seat that has taken the token; null while it lies here.",
            brief="token of #{value}",
        )
    },
)
