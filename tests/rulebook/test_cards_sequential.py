"""The sequential variation of the card game, book 004."""

from __future__ import annotations

from collections import Counter

from events.agenda import Ask
from events.types import CardsDealt, CardsPlayed, RoundStarted, TurnStarted
from rules.legal import choices
from rules.mechanics.card_turn import laid_cards
from rules.state import State, view
from tests.support.positions import ScriptedChance, answer, new_game, play, with_hand, with_laid

LEO, HENRY, REBECCA = range(3)
SEQUENTIAL = {"sequential": True}


def asked(state: State) -> Ask:
    assert state.ask is not None
    return state.ask


def lowest(state: State) -> State:
    """The seat whose turn it is plays its lowest card."""
    (seat,) = asked(state).seats
    return play(state, seat, choices(state, seat)[0])


def test_chance_picks_the_starter_unless_a_seat_is_named() -> None:
    """004, variation: the oldest begins; P2, P5."""
    assert asked(new_game("cards", 3, SEQUENTIAL, ScriptedChance(picks=[2]))).seats == (REBECCA,)
    assert asked(new_game("cards", 3, {**SEQUENTIAL, "start_seat": HENRY})).seats == (HENRY,)


def test_everybody_holds_five_cards_before_the_first_turn() -> None:
    """004, variation and set-up; C6."""
    state = new_game("cards", 3, SEQUENTIAL)
    assert sorted(state.hands) == [LEO, HENRY, REBECCA]


def test_cards_are_laid_openly_and_the_hand_is_refilled_last() -> None:
    """004, variation: place, discard, draw five; C6."""
    state = with_hand(new_game("cards", 3, SEQUENTIAL), LEO, "1", "3", "3", "4", "6d")
    table = answer(state, LEO, "play-3-3")
    played, dealt, turn = table.events[:3]
    assert isinstance(played, CardsPlayed)
    assert (played.cards, played.rest.contents) == (("3", "3"), ("1", "4", "6d"))
    assert isinstance(dealt, CardsDealt)
    assert (dealt.seat, len(dealt.cards.contents)) == (LEO, 5)
    assert turn == TurnStarted(HENRY)


def test_the_options_show_the_hand_and_are_for_the_seat_alone() -> None:
    """004, variation; C6, C2."""
    state = new_game("cards", 3, SEQUENTIAL)
    assert asked(state).options == ()
    assert choices(view(state, LEO), LEO) == choices(state, LEO) != ()
    assert choices(view(state, HENRY), LEO) == ()


def test_turns_go_round_in_clockwise_order_six_times_each() -> None:
    """004, variation: up to six turns; C6, P3."""
    state, order = new_game("cards", 3, {**SEQUENTIAL, "start_seat": HENRY}), list[int]()
    while state.round == 1:
        order += asked(state).seats
        state = lowest(state)
    assert order == [HENRY, REBECCA, LEO] * 6


def test_nobody_draws_after_the_sixth_turn() -> None:
    """004, variation; C6: the thirty cards are used up."""
    state = new_game("cards", 2, SEQUENTIAL)
    while state.turns < 12:
        state = lowest(state)
    assert LEO not in state.hands
    assert HENRY in state.hands


def test_eight_placed_cards_end_a_players_round() -> None:
    """004, variation: as in the basic game; C4."""
    state = with_laid(new_game("cards", 3, SEQUENTIAL), LEO, "1", "1", "2", "2", "3", "3", "4")
    state = with_hand(state, LEO, "4", "5", "5", "6", "6")
    table = answer(state, LEO, "play-4")
    assert not any(isinstance(event, CardsDealt) for event in table.events)
    state, seats = table.state, Counter[int]()
    while state.round == 1:
        seats.update(asked(state).seats)
        state = lowest(state)
    assert seats == {HENRY: 6, REBECCA: 6}


def test_the_start_moves_to_the_left() -> None:
    """004, variation; P5."""
    state, starters = new_game("cards", 3, {**SEQUENTIAL, "start_seat": REBECCA}), [REBECCA]
    while state.status != "over":
        (seat,) = asked(state).seats
        table = answer(state, seat, choices(state, seat)[0])
        state = table.state
        starters += [event.starter for event in table.events if isinstance(event, RoundStarted)]
    assert starters == [REBECCA, LEO, HENRY, REBECCA]


def test_all_remaining_rules_stay_the_same() -> None:
    """004, variation; C6, C5: cards stay at the casinos and pay by dice."""
    state = with_hand(new_game("cards", 2, SEQUENTIAL), LEO, "1", "2", "3", "4", "5d")
    assert laid_cards(play(state, LEO, "play-1-5d"), LEO) == ("1", "5d")
