"""The card game, book 004, played at once."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from events.agenda import Ask
from events.secrecy import Secret, proves
from events.types import CardsDealt, CardsPlayed, Chosen, DiceReturned, Event, Revealed
from events.values import BOX, CASINO, OWNER, PILE, PURSE
from rules.errors import Reason, Rejected
from rules.legal import choices, legal
from rules.mechanics.card_turn import laid_cards, unseen_cards
from rules.state import State, view
from tests.support.positions import (
    answer,
    apply_events,
    new_game,
    notes_moved_from,
    pay_out,
    play,
    table_at,
    with_hand,
    with_laid,
)

LEO, HENRY, REBECCA, EMILY = range(4)


def hands_of_the_example() -> State:
    """Four players at the start of a turn."""
    state = new_game("cards", 4)
    state = with_hand(state, LEO, "1", "5", "5", "5d", "6")
    state = with_hand(state, HENRY, "2", "3", "4", "6", "6")
    state = with_hand(state, REBECCA, "1", "2", "4", "4", "6d")
    return with_hand(state, EMILY, "2", "3", "3", "5", "6")


SELECTIONS = {LEO: "play-5-5-5d", HENRY: "play-6-6", REBECCA: "play-1-4", EMILY: "play-5"}


def asked(state: State) -> Ask:
    assert state.ask is not None
    return state.ask


def test_thirty_cards_each_five_of_a_number_one_of_them_double() -> None:
    """004, contents; C1."""
    deck = Counter(new_game("cards", 2).decks[LEO])
    assert deck == {f"{number}{kind}": 1 if kind else 4 for number in range(1, 7) for kind in ("", "d")}


def test_forty_eight_notes_six_of_each_value() -> None:
    """004, contents; M7."""
    notes = Counter(note for lying in new_game("cards", 2).notes.values() for note in lying)
    assert notes == {thousands * 1_000: 6 for thousands in range(30, 101, 10)}


def test_two_notes_at_every_casino_and_five_cards_in_every_hand() -> None:
    """004, set-up."""
    state = new_game("cards", 5)
    assert [len(state.notes_at(number)) for number in range(1, 7)] == [2] * 6
    assert [len(state.hands[seat].contents) for seat in range(5)] == [5] * 5


def test_a_hand_is_known_to_its_seat_alone() -> None:
    """004, set-up; C2."""
    state = new_game("cards", 3)
    assert view(state, HENRY).hands[HENRY] == state.hands[HENRY]
    assert view(state, LEO).hands[HENRY] == Secret(state.hands[HENRY].hidden)
    assert view(state, None).hands[HENRY] == Secret(state.hands[HENRY].hidden)


def test_all_players_are_asked_at_once() -> None:
    """004, game play, 1; C2."""
    assert asked(new_game("cards", 4)).seats == (LEO, HENRY, REBECCA, EMILY)


@pytest.mark.parametrize("start_seat", [LEO, HENRY, REBECCA])
def test_simultaneous_play_has_no_starter(start_seat: int) -> None:
    """004, game play; P5, C12: the option is accepted and decides nothing."""
    state = new_game("cards", 3, {"start_seat": start_seat})
    assert asked(state).seats == (LEO, HENRY, REBECCA)
    assert state.turn is None
    assert state.starter == start_seat


def test_the_selections_of_the_example_are_legal() -> None:
    """004, selection criteria, example: three 5s, two 6s, a 1 and a 4, a 5; C3."""
    state = hands_of_the_example()
    assert all(choice in choices(state, seat) for seat, choice in SELECTIONS.items())


def test_two_cards_and_a_third_of_another_number_are_not() -> None:
    """004, selection criteria, example: nobody selects two 4s and a 2; C3."""
    state = hands_of_the_example()
    assert "play-4-4" in choices(state, REBECCA)
    assert "play-2-4-4" not in choices(state, REBECCA)
    with pytest.raises(Rejected) as refusal:
        play(state, REBECCA, "play-2-4-4")
    assert refusal.value.reason is Reason.ILLEGAL_CHOICE


def test_every_selection_is_offered_once_low_to_high() -> None:
    """004, selection criteria; C3: one card, any pair, three to five of one number."""
    state = with_hand(new_game("cards", 2), LEO, "5d", "2", "5", "5", "5")
    assert choices(state, LEO) == (
        "play-2",
        "play-5",
        "play-5d",
        "play-2-5",
        "play-2-5d",
        "play-5-5",
        "play-5-5d",
        "play-5-5-5",
        "play-5-5-5d",
        "play-5-5-5-5d",
    )


def test_five_cards_of_one_number_may_all_be_played() -> None:
    """004, selection criteria; C3."""
    state = with_hand(new_game("cards", 2), LEO, "3", "3", "3", "3", "3d")
    assert "play-3-3-3-3-3d" in choices(state, LEO)


def test_options_are_in_plain_words_for_the_seat_alone() -> None:
    """004, selection criteria; C2: the options tell the hand."""
    state = hands_of_the_example()
    labels = {option.choice: option.label for option in legal(state, LEO)}
    assert labels["play-5-5-5d"] == "Play two 5s and one double 5"
    assert not asked(state).options
    assert legal(view(state, HENRY), LEO) == ()
    assert legal(view(state, LEO), LEO) == legal(state, LEO)


@pytest.mark.parametrize("order", list(permutations(SELECTIONS))[::5])
def test_the_last_selection_reveals_all_in_whatever_order_they_came(order: tuple[int, ...]) -> None:
    """004, game play, 2, example of the selection criteria; C2."""
    state = hands_of_the_example()
    for seat in order[:-1]:
        table = answer(state, seat, SELECTIONS[seat])
        assert [type(event) for event in table.events] == [Chosen]
        state = table.state
        assert not any(laid_cards(state, other) for other in SELECTIONS)
    events = answer(state, order[-1], SELECTIONS[order[-1]]).events
    assert [type(event) for event in events[:9]] == [Chosen] + [Revealed] * 4 + [CardsPlayed] * 4
    assert {event.seat: event.value for event in events if isinstance(event, Revealed)} == SELECTIONS


def test_a_selection_stays_covered_until_the_last_has_come() -> None:
    """004, game play, 1; C2."""
    table = answer(hands_of_the_example(), LEO, SELECTIONS[LEO])
    others = [view(table.state, viewer) for viewer in (HENRY, REBECCA, EMILY, None)]
    for seen in others:
        (given,) = asked(seen).answers
        assert isinstance(given.choice, Secret)
        assert given.choice.value is None
    (own,) = asked(view(table.state, LEO)).answers
    assert isinstance(own.choice, Secret)
    assert own.choice.contents == SELECTIONS[LEO]


def test_a_reveal_proves_the_selection() -> None:
    """004, game play, 2; C2."""
    state, hidden = hands_of_the_example(), {}
    events: list[Event] = []
    for seat, choice in SELECTIONS.items():
        table = answer(state, seat, choice)
        state = table.state
        events += table.events
    for event in events:
        if isinstance(event, Chosen) and isinstance(event.choice, Secret):
            hidden[event.seat] = event.choice.hidden
    for event in events:
        if isinstance(event, Revealed):
            assert event.hidden == hidden[event.seat]
            assert proves(event.hidden, event.salt, event.value)


def test_nobody_changes_a_selection() -> None:
    """004, game play, 1: the cards are under the palm; C2."""
    state = play(hands_of_the_example(), LEO, "play-1")
    assert choices(state, LEO) == ()
    with pytest.raises(Rejected) as refusal:
        play(state, LEO, "play-6")
    assert refusal.value.reason is Reason.ALREADY_ANSWERED


def test_cards_lie_at_the_casinos_of_their_numbers_and_the_rest_is_gone() -> None:
    """004, game play, 2 and 3, with the example of the selection criteria; C3."""
    state = hands_of_the_example()
    for seat, choice in SELECTIONS.items():
        state = play(state, seat, choice)
    laid = [laid_cards(state, seat) for seat in SELECTIONS]
    assert laid == [("5", "5", "5d"), ("6", "6"), ("1", "4"), ("5",)]
    assert state.glasses[LEO][0].contents == ("1", "6")
    assert state.glasses[EMILY][0].contents == ("2", "3", "3", "6")
    assert view(state, HENRY).glasses[LEO][0].value is None


def test_five_new_cards_come_from_the_unseen_ones() -> None:
    """004, game play, 4."""
    state = hands_of_the_example()
    for seat, choice in SELECTIONS.items():
        state = play(state, seat, choice)
    for seat in SELECTIONS:
        seen = Counter(laid_cards(state, seat)) + Counter(state.glasses[seat][0].contents)
        assert sum(seen.values()) == len(state.hands[seat].contents) == 5
        pile = Counter(unseen_cards(state, seat))
        assert seen + Counter(state.hands[seat].contents) + pile == Counter(state.decks[seat])


def rebecca_after_three_turns() -> State:
    """Seven of her cards lie at the casinos, and she holds four 2s."""
    state = new_game("cards", 4)
    for mine, others in ((("1", "3"), ("4",)), (("5", "6"), ("4",)), (("6", "6", "6d"), ("4",))):
        state = with_laid(state, REBECCA, *mine)
        for seat in (LEO, HENRY, EMILY):
            state = with_laid(state, seat, *others)
    for seat in (LEO, HENRY, EMILY):
        state = with_hand(state, seat, "1", "1", "2", "3", "5")
    return with_hand(state, REBECCA, "2", "2", "2", "2", "4")


def all_play(state: State) -> State:
    """Everybody asked plays their lowest card."""
    for seat in asked(state).seats:
        state = play(state, seat, choices(state, seat)[0])
    return state


def test_eight_placed_cards_end_a_players_round() -> None:
    """004, game play, example: Rebecca places four 2s onto seven and misses turns five and six; C4."""
    state = rebecca_after_three_turns()
    for seat, choice in ((REBECCA, "play-2-2-2-2"), (LEO, "play-1"), (HENRY, "play-2"), (EMILY, "play-3")):
        state = play(state, seat, choice)
    assert len(laid_cards(state, REBECCA)) == 11
    for _ in ("fifth", "sixth"):
        assert (state.round, asked(state).seats) == (1, (LEO, HENRY, EMILY))
        assert REBECCA not in state.hands
        state = all_play(state)
    assert (state.round, asked(state).seats) == (2, (LEO, HENRY, REBECCA, EMILY))


def test_seven_placed_cards_do_not() -> None:
    """004, game play: eight or more; C4."""
    state = rebecca_after_three_turns()
    assert len(laid_cards(state, REBECCA)) == 7
    assert REBECCA in asked(state).seats


def test_the_last_player_may_play_alone() -> None:
    """004, game play: only one player left for the final turns; C2, C4."""
    state = new_game("cards", 2)
    state = with_laid(with_laid(state, HENRY, "1", "1"), HENRY, "2", "2", "2", "2")
    state = with_hand(state, HENRY, "3", "3", "4", "5", "6")
    state = play(play(state, HENRY, "play-3-3"), LEO, choices(state, LEO)[0])
    assert asked(state).seats == (LEO,)
    table = answer(state, LEO, choices(state, LEO)[0])
    assert [type(event) for event in table.events[:4]] == [Chosen, Revealed, CardsPlayed, CardsDealt]


def test_a_round_ends_when_all_have_placed_eight_cards() -> None:
    """004, game play; C4."""
    state = new_game("cards", 2)
    for seat in (LEO, HENRY):
        state = with_laid(state, seat, "1", "1", "2", "2", "3", "3", "4")
        state = with_hand(state, seat, "4", "5", "5", "6", "6")
    state = play(play(state, LEO, "play-4"), HENRY, "play-5")
    assert state.round == 2


def test_a_round_has_six_turns_at_most() -> None:
    """004, game play; C4."""
    state, turns = new_game("cards", 3), 0
    while state.round == 1:
        state, turns = all_play(state), turns + 1
    assert turns == 6


def test_ties_go_by_dice_and_not_by_cards() -> None:
    """004, payout, example: three cards and four with four dice, one card and two with two; C5."""
    state = new_game("cards", 4)
    state = with_laid(state, LEO, "5", "5", "5d")
    state = with_laid(state, HENRY, "5", "5", "5", "5")
    state = with_laid(state, REBECCA, "5d")
    state = with_laid(state, EMILY, "5", "5")
    table = pay_out(state)
    assert DiceReturned(CASINO[5], OWNER[:4]) in table.events
    assert not any(table.state.notes_of(seat) for seat in range(4))


def test_most_dice_take_the_higher_note_and_the_third_nothing() -> None:
    """004, payout; C5: a double card is two dice."""
    state = table_at("cards", 3, notes={1: (40_000, 90_000)})
    state = with_laid(state, LEO, "1", "1")
    state = with_laid(state, HENRY, "1", "1d")
    state = with_laid(state, REBECCA, "1")
    assert notes_moved_from(pay_out(state), 1) == {PURSE[HENRY]: (90_000,), PURSE[LEO]: (40_000,)}


def test_notes_nobody_won_return_to_the_box() -> None:
    """004, payout; M7."""
    state = with_laid(table_at("cards", 2, notes={3: (30_000, 70_000)}), LEO, "3")
    assert notes_moved_from(pay_out(state), 3) == {PURSE[LEO]: (70_000,), BOX: (30_000,)}


def test_all_thirty_cards_are_back_for_the_next_round() -> None:
    """004, payout."""
    state = pay_out(with_laid(new_game("cards", 2), LEO, "3", "3d")).state
    assert not laid_cards(state, LEO)
    assert len(unseen_cards(state, LEO)) == 25


def test_the_game_ends_after_four_rounds_with_all_notes_used() -> None:
    """004, game end; M7."""
    state, rounds = new_game("cards", 2), set[int]()
    while state.status != "over":
        rounds.add(state.round)
        state = all_play(state)
    assert rounds == {1, 2, 3, 4}
    assert state.notes[PILE] == ()


@pytest.mark.parametrize("players", [1, 6])
def test_two_to_five_players(players: int) -> None:
    """004, contents: five sets of cards; P1."""
    with pytest.raises(Rejected) as refusal:
        new_game("cards", players)
    assert refusal.value.reason is Reason.BAD_SEATS


def test_a_replay_of_a_turn_equals_the_turn() -> None:
    """004, game play; C2: what everybody saw leads to the table everybody sees."""
    state = hands_of_the_example()
    table = answer(state, LEO, SELECTIONS[LEO])
    assert apply_events(state, *table.events) == table.state
