"""What a second reading of the books and rulings found wrong."""

from __future__ import annotations

import pytest

from events.types import OptionValue, TokenMoved, TurnStarted
from events.values import SUPPLY
from rules.dice_turn import TURNS
from rules.editions import RULESETS
from rules.legal import legal
from rules.rejection import Reason, Rejected
from rules.ruleset import Ruleset
from rules.state import State
from tests.rulebook.positions import ANNA, CARLA, after, new_game, play, worked
from tests.rulebook.royale_tables import placing, tile_table


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_every_casino_has_a_name_to_call_it_by(ruleset: Ruleset) -> None:
    """001 and 000 name some casinos; where a book is silent, the number is the name."""
    unnamed = [name for name in ruleset.casinos if name.isdecimal()]
    assert all(ruleset.casinos)
    assert unnamed == [str(number) for number, name in enumerate(ruleset.casinos, 1) if name in unnamed]


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [("start_seat", 2, "P2"), ("hide_money", 1, "M8"), ("turn_seconds", -1, "W1")],
)
@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.id)
def test_a_refused_option_names_the_ruling_it_rests_on(
    ruleset: Ruleset, name: str, value: OptionValue, rule: str
) -> None:
    """P2, M8, W1."""
    with pytest.raises(Rejected) as refusal:
        new_game(ruleset.id, 2, {name: value})
    assert (refusal.value.reason, refusal.value.rule) == (Reason.BAD_OPTION, rule)


def label(state: State, choice: str) -> str:
    return next(option.label for option in legal(state, ANNA) if option.choice == choice)


def test_a_die_set_with_power_play_says_that_a_tile_reacts() -> None:
    """000 POWER PLAY: the effects of that casino are resolved."""
    state = after(tile_table("D2", "A2", dice={1: {ANNA: 1}}), TokenMoved("D2", SUPPLY[ANNA]))
    state = worked(after(state, TurnStarted(CARLA)), TURNS).state
    assert label(state, "set-big-2") == (
        "Turn a big die in hand to 2 and place it on casino 2, which activates its tile"
    )
    assert label(state, "set-big-3") == "Turn a big die in hand to 3 and place it on casino 3"


def test_a_die_set_with_my_choice_says_that_no_tile_reacts() -> None:
    """000 MY CHOICE: placed without activating; the same words for both would mislead."""
    state = play(placing(tile_table("H2", "A2"), ANNA, 1, black=[(5, 5)]).state, ANNA, "use-5")
    assert label(state, "set-small-2") == (
        "Turn a small die in hand to 2 and place it on casino 2, whose tile does not react"
    )
    assert label(state, "set-small-3") == "Turn a small die in hand to 3 and place it on casino 3"
