"""Chip cards, book 004, in the dice game of 2012 and in the card game played in sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from events.agenda import Ask
from events.types import CardsDealt, ChipCardsMoved, OptionValue
from events.values import CASINO, NEUTRAL, PILE, PURSE, SUPPLY, Dice
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.scoring import total, winners
from rules.state import State
from tests.support.positions import (
    ScriptedChance,
    answer,
    apply_events,
    new_game,
    pay_out,
    play,
    roll_dice,
    table_at,
    under_release,
    with_hand,
)

LEO, HENRY = range(2)
CHIP_CARDS: dict[str, OptionValue] = {"chip_cards": True}
SEQUENTIAL: dict[str, OptionValue] = {"sequential": True, "chip_cards": True}


def asked(state: State) -> Ask:
    assert state.ask is not None
    return state.ask


def lying(state: State, number: int) -> tuple[str, ...]:
    return state.chip_cards[CASINO[number]]


@pytest.mark.parametrize(("edition", "options"), [("classic", CHIP_CARDS), ("cards", SEQUENTIAL)])
def test_one_card_of_twenty_five_lies_at_each_casino(edition: str, options: dict[str, OptionValue]) -> None:
    """004, chip cards; C7: five colours of five."""
    state = new_game(edition, 2, options)
    assert [len(lying(state, number)) for number in range(1, 7)] == [1] * 6
    everywhere = Counter(card for cards in state.chip_cards.values() for card in cards)
    assert sorted(everywhere.values()) == [5] * 5
    assert {"gold", "pink"} < set(everywhere)


def test_cards_come_from_the_face_down_pile_by_chance() -> None:
    """004, chip cards; C7."""
    first_notes = new_game("classic", 2, CHIP_CARDS)
    picks = [0] * (1 + sum(len(first_notes.notes_at(number)) for number in range(1, 7)))
    state = new_game("classic", 2, CHIP_CARDS, ScriptedChance(picks=[*picks, 24, 5]))
    assert (lying(state, 1), lying(state, 2), lying(state, 3)) == (("red",), ("pink",), ("gold",))


def test_cards_nobody_took_stay_and_every_round_adds_one() -> None:
    """004, chip cards: from previous rounds; C7."""
    state, heights = new_game("classic", 2, CHIP_CARDS), []
    while state.status != "over":
        heights.append([len(lying(state, number)) for number in range(1, 7)])
        state = pay_out(state).state
    assert heights == [[1] * 6, [2] * 6, [3] * 6, [4] * 6]
    assert len(state.chip_cards[PILE]) == 1


def test_two_dice_at_one_casino_earn_a_card_at_once() -> None:
    """004, chip cards; C7."""
    state = roll_dice(table_at("classic", 2, CHIP_CARDS, dice={1: {LEO: 5}}), LEO, 4, 4, 6)
    state = play(state, LEO, "place-4")
    assert (asked(state).seats, asked(state).number) == ((LEO,), 4)
    assert [(option.choice, option.label) for option in legal(state, LEO)] == [
        ("take-gold", "Take a gold chip card at casino 4"),
        ("leave", "Leave the chip cards at casino 4"),
    ]


def given(state: State, number: int, *colours: str) -> State:
    """Exactly these chip cards at a casino."""
    back = ChipCardsMoved(CASINO[number], PILE, lying(state, number))
    return apply_events(state, back, ChipCardsMoved(PILE, CASINO[number], colours))


def two_fours(*colours: str) -> State:
    state = given(table_at("classic", 2, CHIP_CARDS, dice={1: {LEO: 5}}), 4, *colours)
    return play(roll_dice(state, LEO, 4, 4, 6), LEO, "place-4")


def test_where_several_lie_the_player_picks_one() -> None:
    """004, chip cards: any one of them; C7; C11: one option a colour."""
    state = two_fours("red", "gold", "red")
    assert choices(state, LEO) == ("take-gold", "take-red", "leave")
    state = play(state, LEO, "take-red")
    assert state.chip_cards[PURSE[LEO]] == ("red",)
    assert sorted(lying(state, 4)) == ["gold", "red"]
    assert asked(state).prompt == "turn.place"
    assert state.turn == HENRY


def test_the_card_may_be_left() -> None:
    """004, chip cards: can take; C7, C11."""
    state = play(two_fours("blue"), LEO, "leave")
    assert lying(state, 4) == ("blue",)
    assert PURSE[LEO] not in state.chip_cards


def test_nothing_is_asked_where_no_card_lies() -> None:
    """004, chip cards; C11."""
    assert asked(two_fours()).prompt == "turn.place"


def test_one_die_earns_nothing() -> None:
    """004, chip cards: at least two; C7: dice of earlier turns do not count."""
    state = table_at("classic", 2, CHIP_CARDS, dice={6: {LEO: 5}})
    state = play(roll_dice(state, LEO, 4, 4, 6), LEO, "place-6")
    assert asked(state).prompt == "turn.place"


@pytest.mark.parametrize(
    ("number", "release", "prompt"),
    [
        (4, 2, "chip_cards.take"),
        (5, 2, "chip_cards.take"),
        (6, 2, "turn.place"),
        (4, 1, "turn.place"),
        (5, 1, "turn.place"),
    ],
)
def test_neutral_dice_count_towards_the_two(number: int, release: int, prompt: str) -> None:
    """004, chip cards: "places at least two dice", 001: "just as you would your own"; C9.

    One own and one neutral 4, two neutral 5s, one own 6; release 1 counted own dice only.
    """
    options = {**CHIP_CARDS, "neutral_dice": True}
    state = under_release(table_at("classic", 2, options, dice={1: {LEO: 6}}), release)
    assert state.dice_of(NEUTRAL, SUPPLY[LEO]) == Dice(4)
    state = roll_dice(state, LEO, 4, 6, neutral=(1, 4, 5, 5))
    assert asked(play(state, LEO, f"place-{number}")).prompt == prompt


def test_own_dice_count_beside_neutral_ones() -> None:
    """004, chip cards; C9."""
    state = table_at("classic", 2, {**CHIP_CARDS, "neutral_dice": True}, dice={1: {LEO: 6}})
    state = play(roll_dice(state, LEO, 4, 4, neutral=(4, 5, 5, 6)), LEO, "place-4")
    assert asked(state).prompt == "chip_cards.take"


def test_a_lone_double_card_is_enough() -> None:
    """004, chip cards: which could be a double card; C7."""
    state = with_hand(new_game("cards", 2, SEQUENTIAL), LEO, "1", "2", "3", "4", "5d")
    assert asked(play(state, LEO, "play-5d")).number == 5
    assert asked(play(state, LEO, "play-1-5d")).number == 5
    assert asked(play(state, LEO, "play-1-2")).seats == (HENRY,)


def test_two_single_cards_of_one_number_are_enough() -> None:
    """004, chip cards; C7."""
    state = with_hand(new_game("cards", 2, SEQUENTIAL), LEO, "1", "2", "2", "4", "5d")
    assert asked(play(state, LEO, "play-2-2")).number == 2


def test_a_turn_that_earns_twice_starts_at_the_lower_casino() -> None:
    """004, chip cards; C8: two double cards, a decision at each."""
    state = with_hand(new_game("cards", 2, SEQUENTIAL), LEO, "1", "2d", "2", "4", "5d")
    state = play(state, LEO, "play-2d-5d")
    assert (asked(state).prompt, asked(state).number) == ("chip_cards.take", 2)
    state = play(state, LEO, "leave")
    assert (asked(state).prompt, asked(state).number) == ("chip_cards.take", 5)
    state = play(state, LEO, choices(state, LEO)[0])
    assert len(state.chip_cards[PURSE[LEO]]) == 1
    assert asked(state).seats == (HENRY,)


def test_the_hand_is_refilled_after_the_chip_card() -> None:
    """004, variation and chip cards; C6, C11: the draw ends the turn."""
    state = with_hand(new_game("cards", 2, SEQUENTIAL), LEO, "1", "2", "3", "4", "5d")
    table = answer(state, LEO, "play-5d")
    assert not any(isinstance(event, CardsDealt) for event in table.events)
    taken, dealt, *_ = answer(table.state, LEO, choices(table.state, LEO)[0]).events
    assert isinstance(taken, ChipCardsMoved)
    assert isinstance(dealt, CardsDealt)


def owning(
    *, notes: Mapping[int, tuple[int, ...]], leo: tuple[str, ...], henry: tuple[str, ...] = ()
) -> State:
    state = table_at("classic", 2, CHIP_CARDS, purses=notes)
    for number in range(1, 7):
        state = given(state, number)
    return apply_events(
        state, ChipCardsMoved(PILE, PURSE[LEO], leo), ChipCardsMoved(PILE, PURSE[HENRY], henry)
    )


def test_two_pink_and_four_golden_cards_earn_130_000() -> None:
    """004, chip cards, example; C7."""
    assert total(owning(notes={}, leo=("pink",) * 2 + ("gold",) * 4), LEO) == 130_000


@pytest.mark.parametrize(("count", "worth"), [(1, 10), (2, 30), (3, 60), (4, 100), (5, 150)])
def test_cards_of_one_colour_are_worth_more_together(count: int, worth: int) -> None:
    """004, chip cards; C7."""
    assert total(owning(notes={LEO: (50_000,)}, leo=("blue",) * count), LEO) == 50_000 + worth * 1_000


def test_chip_cards_are_money_but_no_notes() -> None:
    """004, chip cards and game end; C10: the tie is broken by notes alone (P6)."""
    notes = {LEO: (50_000,), HENRY: (20_000, 40_000)}
    assert winners(owning(notes=notes, leo=("gold",))) == (HENRY,)
    assert winners(owning(notes=notes, leo=("gold", "gold"))) == (LEO,)
    level = {LEO: (50_000,), HENRY: (60_000,)}
    assert winners(owning(notes=level, leo=("gold",))) == (LEO, HENRY)


def test_chip_cards_need_turns_in_sequence() -> None:
    """004, chip cards: in this variation; C7."""
    with pytest.raises(Rejected) as refusal:
        new_game("cards", 3, {"chip_cards": True})
    assert (refusal.value.reason, refusal.value.where) == (Reason.BAD_OPTION, "/options/chip_cards")
    assert refusal.value.rule == "C7"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_dice_game_may_always_use_them(players: int) -> None:
    """004, chip cards; C7."""
    assert new_game("classic", players, CHIP_CARDS).chip_cards
    assert not new_game("classic", players).chip_cards
