"""What is told of a game is what happened in it: in every edition, to the last dollar."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.commands import Start
from events.secrecy import redact
from events.types import Event
from events.values import OWNER, seat_of
from rules.editions import EDITIONS
from rules.explain.facts import find_facts
from rules.explain.scene import Fact
from rules.explain.sentences import LANGUAGES, format_facts
from rules.ruleset import Ruleset
from rules.scoring import CHIP, totals
from rules.state import State, view
from rules.tiles import TILES
from tests.explain_games import explain_game
from tests.explain_games import plans as plans_of_all_kinds
from tests.support.game_loop import Move, Plan, plans, play_moves, seeds
from tests.support.positions import ANNA, BEN, CARLA, DENNY, DiceLaid, pay_out, table_at
from tests.support.profiles import examples
from tests.support.told_amounts import add_up, begin

each_edition = pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
many = examples(6, long=100)


def facts_of(move: Move) -> tuple[Fact, ...]:
    return find_facts(move.before, move.command, move.events)


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_what_the_facts_give_is_what_each_seat_has(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """Notes and chips, at every commit; with the chip cards, when it is over."""
    notes, chips, cards = Counter[int](), Counter[int](), Counter[int]()
    for move in play_moves(data.draw(plans(ruleset)), seed):
        for fact in facts_of(move):
            seat = seat_of(fact.owner)
            if seat is not None:
                notes[seat] += fact.gain
                chips[seat] += fact.chips
                cards[seat] += fact.worth or 0
        for seat in range(len(move.after.seats)):
            assert notes[seat] == sum(move.after.notes_of(seat))
            assert chips[seat] == move.after.chips_of(seat)
    sums = [notes[seat] + CHIP * chips[seat] + cards[seat] for seat in range(len(move.after.seats))]
    assert sums == [*totals(move.after)]


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_every_fact_is_told_in_every_language(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """Whole sentences, with a rule wherever a rule decided; and the amounts of the facts stand in them."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        for fact in facts_of(move):
            assert fact.rule or fact.what == "created"
            check_sentences(fact, move.after)


def check_sentences(fact: Fact, state: State) -> None:
    for language in LANGUAGES:
        (sentence,) = format_facts((fact,), state, language)
        assert re.fullmatch(r"[^a-zäöü{}].*[.!?]", sentence), sentence
        if fact.what in ("won", "left_over"):
            digits = re.sub(r"[,.]", "", sentence)
            assert all(str(note) in digits for note in fact.notes)


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_nothing_that_is_sealed_is_told(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """A spectator's explanation comes from what a spectator sees, and needs no more."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        if move.before.edition and move.after.status != "over":
            events: tuple[Event, ...] = redact(move.events, None)
            facts = find_facts(view(move.before, None), redact(move.command, None), events)
            assert [fact.what for fact in facts] == [fact.what for fact in facts_of(move)]
            assert not [fact for fact in facts if fact.what == "dealt" and fact.cards]


def test_ties_and_prizes_are_explained_as_the_book_does() -> None:
    """001, ties, example 1: Anna 5, Benno and Carla 3 each, Denny 1; payout, example 1: Anna 80, Denny 30."""
    dice: DiceLaid = {2: {ANNA: 5, BEN: 3, CARLA: 3, DENNY: 1}}
    state = table_at("classic", 4, notes={2: (80_000, 30_000, 10_000)}, dice=dice)
    facts = find_facts(state, Start(ANNA, "random"), tuple(pay_out(state).events))
    paid = [fact for fact in facts if fact.casino == 2 and fact.what != "stocked"]
    told = [(fact.what, fact.owner, fact.rank, fact.notes) for fact in paid]
    assert told == [
        ("tied", OWNER[BEN], None, ()),
        ("tied", OWNER[CARLA], None, ()),
        ("won", OWNER[ANNA], 1, (80_000,)),
        ("won", OWNER[DENNY], 2, (30_000,)),
        ("left_over", "", None, (10_000,)),
    ]
    sentences = format_facts(paid, state, "en")
    assert len(sentences) == 4
    assert sentences[0].endswith("are tied with 3 each and drop out.")


def test_the_amounts_in_the_sentences_add_up_to_what_each_seat_received() -> None:
    """One game of every kind of table and tile, in both languages, after every commit."""
    random = Random(12)
    kinds = list(islice(plans_of_all_kinds(random), 27))
    assert len({code for plan in kinds for code in codes_of(plan)}) == len(TILES)
    assert all(explain_game(plan, random.randrange(10**9)) for plan in kinds)


def codes_of(plan: Plan) -> tuple[str, ...]:
    codes = plan.options.get("tile_codes", ())
    return codes if isinstance(codes, tuple) else ()


def test_an_amount_that_is_told_wrongly_is_found() -> None:
    told = begin()
    add_up(
        ["Casino 1: Anna, first with 3, gets $60,000.", "Pay Day pays two chips to Ben."], "en", told["en"]
    )
    add_up(
        ["Anna decides at Pay Day: “Take $90,000”.", "Ben pays $30,000 and one chip to the bank."],
        "en",
        told["en"],
    )
    add_up(["Anna zahlt der Bank 1.050.000 $ und einen Chip für Bad Luck."], "de", told["de"])
    assert told["en"] == ({"Anna": 60_000, "Ben": -30_000}, {"Ben": 1}, {})
    assert told["de"] == ({"Anna": -1_050_000}, {"Anna": -1}, {})
