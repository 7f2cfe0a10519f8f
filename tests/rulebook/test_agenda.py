"""What the agenda of a game can carry."""

from __future__ import annotations

import pytest

from events.agenda import Step
from events.types import Chosen
from events.values import Dice, spot
from rules.editions import EDITIONS
from rules.state import State
from rules.table import Table
from tests.support.positions import (
    BEN,
    CARLA,
    ScriptedChance,
    answer,
    new_game,
    play,
    tile_table,
    work_agenda,
)

BAR = spot("E2", "bar")


@pytest.mark.parametrize("step", [Step("payout.casino"), Step("tile", seat=0), Step("tile", number=1)])
def test_a_step_without_its_seat_or_casino_is_a_fault(step: Step) -> None:
    """It must not pass for one about seat 0, or about no casino at all."""
    with pytest.raises(ValueError, match="names no"):
        work_agenda(new_game("royale", 3), step)


def asked_at_once() -> State:
    """As if Ben and Carla were to give a die in any order, and openly."""
    table = Table(tile_table("E2"), EDITIONS.newest["royale"], ScriptedChance())
    table.agenda = [Step("turns")]
    table.ask("E2.give", BEN, CARLA, tile="E2")
    table.run()
    return table.state


def test_an_open_answer_waits_for_the_other_seats() -> None:
    """ADR 0002: an ask waits for one or several seats, and nothing moves before the last answer."""
    table = answer(asked_at_once(), CARLA, "give-big")
    ask = table.state.ask
    assert ask is not None
    assert (ask.awaited, table.events) == ((BEN,), [Chosen(ask.id, CARLA, "give-big")])
    assert not table.state.heap(BAR)


def test_the_last_open_answer_settles_all_of_them() -> None:
    """It is no event of its own: the command that gave it stands in the commit."""
    table = answer(play(asked_at_once(), CARLA, "give-big"), BEN, "give-small")
    assert table.state.heap(BAR) == {"seat-1": Dice(1), "seat-2": Dice(0, 1)}
    assert not any(isinstance(event, Chosen) for event in table.events)
    assert table.state.turn == BEN
