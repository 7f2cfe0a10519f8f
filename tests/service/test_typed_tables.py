"""Tables that somebody describes: what the service shows is understood, and what cannot be is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from rules.legal import choices
from rules.ruleset import Options
from rules.state import State
from rules.typed_table import read_table
from rules.typed_types import BadTable, TypedTable
from service.play.tables import render_table
from tests.support.bot_games import RANDOM, TABLES, states_of_game
from tests.support.wooden_tables import wooden_table
from workers.bots.sampled_chance import SampledChance

ORDINARY = ("turn.place", "cards.select", "cards.lay")
# What only the service knows, and what follows from that.
ITS_OWN = {"id", "options", "seats", "asks"}


def read(table: dict[str, Any], seat: int) -> State:
    told = {name: value for name, value in table.items() if value is not None}
    return read_table(msgspec.convert(told, TypedTable), seat, SampledChance(1))


def shown(state: State, seat: int) -> dict[str, Any]:
    table: dict[str, Any] = msgspec.to_builtins(render_table(state, seat, 1))
    return table


WITHOUT_TILES = [table for table in TABLES if "tiles" not in table[1]]


@pytest.mark.parametrize(("edition", "options", "players"), WITHOUT_TILES)
def test_what_is_shown_is_a_table_that_can_be_sent(edition: str, options: Options, players: int) -> None:
    asked = 0
    for state in states_of_game(edition, options, [RANDOM] * players, 2):
        if state.ask is None or state.ask.prompt not in ORDINARY:
            continue
        seat, asked = state.ask.awaited[0], asked + 1
        table = shown(state, seat)
        again = read(table, seat)
        assert choices(again, seat) == choices(state, seat)
        told = shown(again, seat)
        assert {name for name in table if table[name] != told.get(name)} <= ITS_OWN
        assert told["seats"][seat] == table["seats"][seat] | {"name": "random"}
    assert asked > 10


def test_tiles_are_taken_over_as_far_as_a_table_tells_them() -> None:
    """Dice that lie on tiles are not told by it."""
    states = list(states_of_game("royale", {"tiles": 3}, [RANDOM] * 3, 3))
    asking = [state for state in states if state.ask is not None and state.ask.prompt in ORDINARY]
    read_back = [(state, again) for state in asking if (again := try_to_read(state)) is not None]
    assert len(read_back) > 20
    for state, again in read_back:
        assert state.ask is not None
        assert again.tiles == state.tiles
        assert choices(again, state.ask.awaited[0]) == choices(state, state.ask.awaited[0])


def try_to_read(state: State) -> State | None:
    seat = state.ask.awaited[0] if state.ask else 0
    try:
        return read(shown(state, seat), seat)
    except BadTable:
        return None


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "edition": (lambda table: table.update(edition="poker"), "/edition", "no edition poker"),
    "option": (lambda table: table.update(options={"tiles": 3}), "/options/tiles", "has no option tiles"),
    "round": (lambda table: table.update(round=5), "/round", "rounds 1 to 4"),
    "starter": (lambda table: table.update(starter=3), "/starter", "seats 0 to 2"),
    "casino": (lambda table: table["casinos"].pop(), "/casinos", "casino 6 is missing"),
    "twice": (lambda table: table["casinos"][1].update(number=1), "/casinos", "casino 1 is there twice"),
    "owner": (
        lambda table: table["casinos"][0]["dice"][0].update(owner="seat-7"),
        "/casinos/0/dice/0/owner",
        "nobody is called seat-7",
    ),
    "note": (
        lambda table: table["casinos"][2].update(notes=(55_000,)),
        "/casinos/2/notes/0",
        "no note of 55000",
    ),
    "many": (lambda table: table["seats"][0].update(notes=(90_000,) * 6), "/seats/0/notes/4", "only 5 notes"),
    "dice": (
        lambda table: table["seats"][1].update(dice=7),
        "/seats/1",
        "seat-1 has 8 small dice in the game, and in hand and at casinos are 9 small dice",
    ),
    "roll": (
        lambda table: table["roll"].update(own=(1, 2)),
        "/roll/own",
        "6 such dice in hand, and here are 2",
    ),
    "big": (lambda table: table["roll"].update(big=4), "/roll/big", "is rolled but not in hand"),
    "nothing": (lambda table: table.update(roll=None), "/roll", "nothing to choose"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_impossible_table_is_refused_with_what_is_wrong(wrong: str) -> None:
    change, pointer, detail = WRONG[wrong]
    table = wooden_table()
    change(table)
    with pytest.raises(BadTable) as refused:
        read(table, 0)
    assert any(fault.pointer == pointer and detail in fault.detail for fault in refused.value.faults), (
        refused.value.faults
    )


def test_all_that_is_wrong_is_told_at_once() -> None:
    table = wooden_table() | {"round": 9, "starter": 5}
    with pytest.raises(BadTable) as refused:
        read(table, 0)
    assert [fault.pointer for fault in refused.value.faults] == ["/round", "/starter"]


def card_table(*hand: str) -> dict[str, Any]:
    table = wooden_table() | {"edition": "cards", "roll": None}
    for casino in table["casinos"]:
        casino.update(notes=[60_000, 50_000])
    table["casinos"][5].update(notes=[90_000])
    for seat in table["seats"]:
        seat.update(dice=0, hand=hand, notes=[])
    return table


def test_cards_in_hand_are_cards_of_the_deck() -> None:
    """Of each number there are four single cards and a double one."""
    table = card_table("1", "1", "1d", "1d", "7")
    with pytest.raises(BadTable) as refused:
        read(table, 0)
    assert [fault.pointer for fault in refused.value.faults] == ["/seats/0/hand/3", "/seats/0/hand/4"]


def test_of_other_hands_nothing_is_taken_over() -> None:
    table = card_table("1", "2", "3", "4", "5")
    state = read(table, 0)
    assert [hand.value for hand in state.hands.values()] == [("1", "2", "3", "4", "5"), None, None]
