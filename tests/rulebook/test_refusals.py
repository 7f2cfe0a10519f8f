"""What is not on offer, an answer or an option, is refused with the rule that the offer rests on."""

from __future__ import annotations

import pytest

from events.types import OptionValue
from rules.citation import cite_rule
from rules.editions import EDITIONS
from rules.errors import Reason, Rejected
from rules.ruleset import Ruleset
from rules.state import State
from tests.support.positions import (
    ANNA,
    new_game,
    place_number,
    play,
    roll_dice,
    tile_table,
    with_chips,
    with_hand,
)


def refused(state: State, choice: str) -> str:
    """The rule that speaks against Anna's choice."""
    with pytest.raises(Rejected) as refusal:
        play(state, ANNA, choice)
    assert refusal.value.reason is Reason.ILLEGAL_CHOICE
    return refusal.value.rule


def test_three_cards_of_different_numbers() -> None:
    """C3."""
    state = with_hand(new_game("cards", 2), ANNA, "1", "2", "3", "3", "4")
    assert refused(state, "play-1-2-3") == "C3"


def test_a_number_that_was_not_rolled() -> None:
    """001, gameplay (D5)."""
    state = roll_dice(new_game("classic", 3), ANNA, 1, 1, 2, 2, 3, 3, 4, 4)
    assert refused(state, "place-6") == "001 GAMEPLAY, D5"


def test_a_number_that_lies_on_the_bandit_already() -> None:
    """D6."""
    state = roll_dice(new_game("modern", 5, {"bandit": True}), ANNA, 3, 3, 3, 1, 1, 1, big=1)
    state = play(state, ANNA, "bandit-3")
    assert refused(roll_dice(state, ANNA, 3, 1, 1, big=1), "bandit-3") == "D6"


def test_what_the_edition_does_not_know_rests_on_its_turn() -> None:
    """002, how to play: no chips there."""
    state = roll_dice(new_game("modern", 3), ANNA, 1, 1, 2, 2, 3, 3, big=4)
    assert refused(state, "pass") == "002 HOW TO PLAY, D5"


def test_a_pass_without_a_chip() -> None:
    """000, the chips (D10)."""
    state = roll_dice(with_chips(tile_table("A2"), ANNA, 0), ANNA, 1, 1, 2, 2, 3, 3, 4, big=4)
    assert refused(state, "pass") == "000 THE CHIPS, D10"


def test_a_casino_that_the_token_cannot_close() -> None:
    """000 NO ENTRY! (T-E1): the tile's own."""
    assert refused(place_number(tile_table("E1"), ANNA, 1).state, "close-1") == "000 NO ENTRY!, T-E1"


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [("start_seat", 2, "P2"), ("hide_money", 1, "M8"), ("turn_seconds", -1, "W1")],
)
@pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
def test_a_refused_option_names_the_ruling_it_rests_on(
    ruleset: Ruleset, name: str, value: OptionValue, rule: str
) -> None:
    """P2, M8, W1."""
    with pytest.raises(Rejected) as refusal:
        new_game(ruleset.id, 2, {name: value})
    assert (refusal.value.reason, refusal.value.rule) == (Reason.BAD_OPTION, rule)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("000 PLAYING THE GAME, T-E1", 'Las Vegas Royale, "Playing the game" (T-E1)'),
        ("001 VARIANT", 'Las Vegas (2012), "Variant"'),
        ("000 PAYOUT, D2, D8", 'Las Vegas Royale, "Payout" (D2, D8)'),
        ("W2", 'Rulings of Croupier, "Waiting" (W2)'),
        ("", ""),
    ],
)
def test_a_rule_is_cited_by_game_heading_and_rulings(rule: str, words: str) -> None:
    assert cite_rule(rule) == words
