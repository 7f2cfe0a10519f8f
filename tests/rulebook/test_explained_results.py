"""What the end of a game comes to, told: chip cards, ties for victory, names and change."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from events.commands import Start
from events.types import GameEnded, RoundEnded
from rules.explain.facts import find_facts
from rules.explain.scene import Fact
from rules.scoring import totals, winners
from rules.state import Seat, State
from tests.rulebook.test_chip_cards import owning
from tests.support.languages import format_facts
from tests.support.positions import ANNA, BEN, CARLA, table_at, with_chips


def end_of(state: State) -> tuple[Fact, ...]:
    ended = GameEnded(winners(state), totals(state), "5e" * 32)
    return find_facts(state, Start(ANNA, "random"), (ended,))


def told(state: State, language: str = "en") -> list[str]:
    return list(format_facts(end_of(state), state, language))


def test_the_book_s_chip_cards_are_counted_by_colour() -> None:
    """004, chip cards, example (C7): two pink and four golden ones."""
    state = owning(notes={}, leo=("pink",) * 2 + ("gold",) * 4)
    leo, henry, over = end_of(state)
    assert (leo.what, leo.worth, len(leo.cards), leo.rule) == ("chip_cards_count", 130_000, 6, "C7, C10")
    assert (henry.what, henry.worth, henry.cards) == ("chip_cards_count", 0, ())
    assert over.totals == (130_000, 0)
    assert told(state)[:2] == [
        "Anna gets $130,000 for chip cards: $100,000 for four gold ones and $30,000 for two pink ones.",
        "Ben has no chip cards to count.",
    ]
    assert told(state, "de")[:2] == [
        "Anna bekommt 130.000 $ für Chipkarten: 100.000 $ für vier Karten (gold) und 30.000 $ für zwei "
        "Karten (rosa).",
        "Ben hat keine Chipkarten zu zählen.",
    ]


def test_totals_of_a_round_say_that_chip_cards_are_in_them() -> None:
    state = owning(notes={}, leo=("pink",))
    facts = find_facts(state, Start(ANNA, "random"), (RoundEnded(1),))
    assert format_facts(facts, state, "en") == (
        "Round 1 is over: Anna $10,000, Ben $0, with chip cards as if it were the last.",
    )
    assert facts[0].rule.endswith(", C7")


def ended_with(purses: Mapping[int, tuple[int, ...]], edition: str = "classic") -> State:
    return table_at(edition, 3, {"tiles": 0} if edition == "royale" else {}, purses=purses)


def test_more_notes_break_a_tie() -> None:
    """001, game end (P6)."""
    state = ended_with({ANNA: (50_000, 40_000), BEN: (90_000,), CARLA: (10_000,)})
    (over,) = end_of(state)
    assert (over.level, over.counts, over.winners) == ((ANNA, BEN), (2, 1), (ANNA,))
    assert told(state) == [
        "The game is over: Anna $90,000, Ben $90,000, Carla $10,000. Anna and Ben have the same money, so "
        "the number of notes decides: Anna 2, Ben 1. Anna wins."
    ]
    assert told(state, "de") == [
        "Das Spiel ist aus: Anna 90.000 $, Ben 90.000 $, Carla 10.000 $. Anna und Ben haben gleich viel "
        "Geld, also entscheidet die Zahl der Scheine: Anna 2, Ben 1. Anna gewinnt."
    ]


def test_a_victory_that_stays_shared_says_why() -> None:
    state = ended_with({ANNA: (50_000, 40_000), BEN: (60_000, 30_000), CARLA: (90_000,)})
    assert told(state)[0].endswith("decides: Anna 2, Ben 2, Carla 1. Anna and Ben win together.")
    assert told(state, "de")[0].endswith(": Anna 2, Ben 2, Carla 1. Anna und Ben gewinnen gemeinsam.")


def test_chips_count_as_notes_in_royale() -> None:
    """P6: $30,000 in one note, or in three chips."""
    state = ended_with({ANNA: (30_000,)}, "royale")
    for seat, chips in ((ANNA, 0), (BEN, 3), (CARLA, 0)):
        state = with_chips(state, seat, chips)
    assert told(state)[0].endswith("so the number of notes and chips decides: Anna 1, Ben 3. Ben wins.")


def test_who_alone_has_the_most_wins_without_more_words() -> None:
    state = ended_with({ANNA: (50_000,), BEN: (20_000,)})
    assert told(state) == ["The game is over: Anna $50,000, Ben $20,000, Carla $0. Anna wins."]
    assert end_of(state)[0].level == ()


def named(*names: str) -> State:
    state = table_at("classic", len(names))
    return replace(state, seats=tuple(Seat(name) for name in names))


@pytest.mark.parametrize("language", ["en", "de"])
def test_names_stay_as_people_write_them(language: str) -> None:
    state = named("anna", "ben")
    tied = Fact("tied", casino=1, owner="seat-0", others=("seat-1",), weight=2)
    facts = (Fact("turn", owner="seat-0"), Fact("returned", owner="seat-0"), tied)
    assert all("anna" in sentence for sentence in format_facts(facts, state, language))


def test_what_is_no_name_of_a_person_begins_a_sentence_large() -> None:
    state = replace(table_at("classic", 2), seats=(Seat(None), Seat("greedy", bot="greedy")))
    facts = (Fact("returned", owner="seat-0"), Fact("returned", owner="seat-1"))
    assert format_facts(facts, state, "en") == ("Seat 0 is back.", "Greedy is back.")


def test_an_erased_player_is_called_so_in_german_too() -> None:
    seats = (Seat("erased player", player="p_1", is_erased=True), Seat("Ben"))
    state = replace(table_at("classic", 2), seats=seats)
    turn = (Fact("turn", owner="seat-0"),)
    assert format_facts(turn, state, "de") == ("Unbekannt (gelöscht) ist am Zug.",)
    assert format_facts(turn, state, "en") == ("It is erased player's turn.",)
    back = (Fact("returned", owner="seat-0"),)
    assert format_facts(back, state, "en") == ("Erased player is back.",)


def test_change_is_told_with_what_was_handed_over() -> None:
    """000 HANDICAP: a note of 90 for a debt of 30, and 60 back."""
    state = ended_with({})
    owed = (Fact("paid", owner="seat-0", handed=(90_000,), notes=(60_000,)),)
    assert format_facts(owed, state, "en") == (
        "Anna pays $30,000 (Anna hands over $90,000 and gets $60,000) to the bank.",
    )
    assert format_facts(owed, state, "de") == (
        "Anna zahlt der Bank 30.000 $ (Anna gibt 90.000 $ und bekommt 60.000 $).",
    )
    paid = (Fact("paid", owner="seat-0", handed=(30_000,), notes=(100_000,)),)
    assert format_facts(paid, state, "en") == (
        "The bank pays $70,000 (Anna hands over $30,000 and gets $100,000) to Anna.",
    )
