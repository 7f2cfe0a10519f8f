"""How far one can look ahead."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from events.agenda import Step
from events.types import AgendaChanged, DicePlaced, Revealed
from rules.lookahead import pay_out_now, try_answer
from rules.state import view
from tests.support.positions import (
    ANNA,
    BEN,
    DiceLaid,
    new_game,
    place_number,
    play,
    roll_dice,
    table_at,
    tile_table,
)
from workers.bots.valuation import SampledChance

LUCK = SampledChance(0)


def test_the_look_ahead_ends_at_what_others_hide() -> None:
    """LUCKY PUNCH: Ben guesses, and only Anna knows her fist."""
    guess = play(place_number(tile_table("A1"), ANNA, 1).state, ANNA, "hide-2")
    assert not try_answer(view(guess, BEN), BEN, "guess-2", LUCK).events
    assert any(isinstance(event, Revealed) for event in try_answer(guess, BEN, "guess-2", LUCK).events)


def test_the_look_ahead_ends_with_the_move() -> None:
    """The last die of a round: neither the payout nor the next round is looked at."""
    dice: DiceLaid = {3: {ANNA: 7, BEN: 8}}
    state = roll_dice(table_at("classic", 2, dice=dice), ANNA, 1)
    tried = try_answer(state, ANNA, "place-1", LUCK)
    assert [type(event) for event in tried.events] == [DicePlaced, AgendaChanged]
    assert tried.state.round == state.round


def test_a_fault_of_a_rule_is_not_taken_for_a_secret() -> None:
    state = new_game("classic", 2, {"start_seat": ANNA})
    with pytest.raises(IndexError):
        try_answer(state, ANNA, "place-9", LUCK)


def test_nor_is_a_fault_of_the_payout() -> None:
    state = replace(new_game("classic", 2), agenda=(Step("round.end"), Step("payout.casino", number=9)))
    with pytest.raises(IndexError):
        pay_out_now(state, LUCK)
