"""Players at a table: the log knows their ids and no names."""

from __future__ import annotations

import pytest

from events.commands import Create, Sit
from events.values import SeatPlan
from rules.decide import decide
from rules.errors import Reason, Rejected
from rules.evolve import fold
from rules.state import EMPTY, State
from tests.support.game_loop import SeededChance

ANNA, BEN = ("p_anna", "a0" * 32), ("p_ben", "b0" * 32)
CHANCE = SeededChance(1)


def table_of(*seats: SeatPlan) -> State:
    return fold(EMPTY, decide(EMPTY, Create("g_1", "classic", seats, "c0" * 32), CHANCE))


def plan_for(player: tuple[str, str]) -> SeatPlan:
    return SeatPlan(None, None, "", *player)


def test_a_player_takes_one_seat_of_a_game() -> None:
    """P8."""
    state = table_of(plan_for(ANNA), SeatPlan(), SeatPlan())
    with pytest.raises(Rejected) as refusal:
        decide(state, Sit(1, "", "", *ANNA), CHANCE)
    assert (refusal.value.reason, refusal.value.rule) == (Reason.ALREADY_SEATED, "P8")
    with pytest.raises(Rejected) as refusal:
        table_of(plan_for(ANNA), plan_for(ANNA))
    assert (refusal.value.reason, refusal.value.rule) == (Reason.BAD_SEATS, "P8")


def test_a_seat_of_a_player_is_taken_and_the_game_starts_when_all_are() -> None:
    """P7."""
    state = table_of(plan_for(ANNA), SeatPlan())
    assert (state.status, state.seats[0].player) == ("lobby", "p_anna")
    state = fold(state, decide(state, Sit(1, "", "", *BEN), CHANCE))
    assert state.status == "playing"
    assert [(seat.name, seat.player) for seat in state.seats] == [("p_anna", "p_anna"), ("p_ben", "p_ben")]
    assert [seat.name_commitment for seat in state.seats] == ["a0" * 32, "b0" * 32]
