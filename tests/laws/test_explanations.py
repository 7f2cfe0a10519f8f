"""What is told of a game is what happened in it: in every edition, to the last dollar."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.commands import Start
from events.secrecy import redact
from events.types import Event
from events.values import GREY, OWNER, seat_of
from rules.editions import EDITIONS
from rules.explain.facts import find_facts
from rules.explain.scene import Fact
from rules.ruleset import Ruleset
from rules.scoring import CHIP, totals
from rules.state import State, view
from rules.tiles import TILES
from rules.wording import SMALLEST_PRIZE_IN_NOTES
from tests.explain_games import explain_game
from tests.explain_games import plans as plans_of_all_kinds
from tests.support.game_loop import Move, Plan, plans, play_moves, seeds
from tests.support.languages import LANGUAGES, format_facts
from tests.support.positions import ANNA, BEN, CARLA, DENNY, DiceLaid, pay_out, table_at
from tests.support.profiles import examples
from tests.support.rulings import ruled_editions
from tests.support.told_amounts import add_up, begin

each_edition = pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
many = examples(4, long=100)


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


# Which headings the books have, and which kinds of facts rest on each; a tile is a heading of its own.
LAID_OUT = {"started", "stocked", "paid"}
PLAYED = {"turn", "rolled", "placed", "dealt", "cards_played", "chose", "sealed", "revealed"}
PAID_OUT = {"tied", "won", "left_over", "round_over"}
WITH_NEUTRAL = {"rolled", "placed", "won", "dice_added", "dice_given"}
ABOUT: dict[str, set[str]] = {
    "000 GAME SETUP": LAID_OUT,
    "000 PLAYING THE GAME": PLAYED,
    "000 THE CHIPS": {"chose", "paid"},
    "000 PAYOUT": PAID_OUT,
    "000 SECOND AND THIRD ROUND": {"round", "stocked", "paid"},
    "000 END OF THE GAME": {"over"},
    "000 VARIANT": WITH_NEUTRAL,
    "001 GAME SETUP": LAID_OUT,
    "001 GAMEPLAY": PLAYED | PAID_OUT,
    "001 THE NEXT ROUND": {"round", "stocked"},
    "001 GAME END": {"over"},
    "001 VARIANT": WITH_NEUTRAL,
    "002 OVERVIEW": LAID_OUT,
    "002 HOW TO PLAY": PLAYED | PAID_OUT,
    "002 THE NEXT ROUND": {"round", "stocked"},
    "002 END OF THE GAME": {"over"},
    "002 VARIANT FOR TWO TO FOUR PLAYERS": WITH_NEUTRAL,
    "002 ONE-ARMED BANDIT VARIANT": {"placed", "won"},
    "004 GAME SET-UP": LAID_OUT,
    "004 GAME PLAY": PLAYED | {"round"},
    "004 CASINO PAYOUT": PAID_OUT | {"stocked"},
    "004 GAME END": {"over"},
    "004 VARIATION": PLAYED | {"round"},
}


def facts_of_all_kinds() -> Iterator[tuple[Plan, Fact]]:
    """Of one game of every kind of table and tile."""
    random = Random(12)
    for plan in islice(plans_of_all_kinds(random), 27):
        for move in play_moves(plan, random.randrange(10**9)):
            yield from ((plan, fact) for fact in facts_of(move))


def find_citation_fault(plan: Plan, fact: Fact) -> str:
    """The part of a citation that is of no ruling of the edition, and no heading about such facts."""
    tiles = {f"000 {tile.name.upper()}" for tile in TILES}
    for part in fact.rule.split(", ") if fact.rule else ():
        is_ruling = plan.edition in ruled_editions().get(part, ())
        if not (
            is_ruling
            or fact.what in ABOUT.get(part, ())
            or (part in tiles and (fact.tile or fact.owner == GREY))
        ):
            return f"{plan.edition}, {fact.what}: {part}"
    return ""


def test_every_fact_cites_a_place_that_is_about_it() -> None:
    """A ruling for that edition, or a heading of its book of which such facts are a part."""
    faults = Counter(filter(None, (find_citation_fault(plan, fact) for plan, fact in facts_of_all_kinds())))
    assert faults == {}


# By what a fact says: whatever it rests on among these.
CITED: dict[tuple[str, str], set[str]] = {
    ("classic", "round"): {"P2", "001 THE NEXT ROUND, P5"},
    ("classic", "stocked"): {"001 GAME SETUP, M1", "001 THE NEXT ROUND, M1"},
    ("classic", "dice_given"): {"001 VARIANT, D9"},
    ("classic", "dice_added"): {"001 VARIANT, D4"},
    ("modern", "dice_given"): {"002 VARIANT FOR TWO TO FOUR PLAYERS, D9"},
    ("modern", "round"): {"P2", "002 THE NEXT ROUND, P5"},
    ("royale", "round"): {"P2", "000 SECOND AND THIRD ROUND, P4"},
    ("cards", "tied"): {"004 CASINO PAYOUT, C5"},
    ("cards", "won"): {"004 CASINO PAYOUT, C5"},
    ("cards", "left_over"): {"004 CASINO PAYOUT, M7"},
}


def test_facts_rest_on_the_section_that_decides_them() -> None:
    found: dict[tuple[str, str], set[str]] = {}
    for plan, fact in facts_of_all_kinds():
        found.setdefault((plan.edition, fact.what), set()).add(fact.rule)
    assert {key: found[key] for key in CITED} == CITED


def test_turns_in_sequence_rest_on_the_variation() -> None:
    """C6 is about them, C2 and C12 about playing at once."""
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for plan, fact in facts_of_all_kinds():
        if plan.edition == "cards" and fact.what in ("turn", "dealt", "cards_played", "round"):
            found[bool(plan.options.get("sequential"))].add(fact.rule)
    assert found[False] == {"004 GAME PLAY, C2", "004 GAME PLAY, C12"}
    assert found[True] == {"004 VARIATION, C6", "004 VARIATION, P5", "P2"}


def test_what_the_bank_pays_and_collects_rests_on_how_it_does_so() -> None:
    """M5, M6, T12, M4 and M9: chips of a round, a debt, and a prize that notes alone do not make up."""
    for _, fact in facts_of_all_kinds():
        balance = fact.gain + CHIP * fact.chips
        if fact.what != "paid":
            continue
        if fact.tile is None:
            handed_out = {"000 GAME SETUP, M5", "000 SECOND AND THIRD ROUND, M5"}
            assert fact.rule in (handed_out if fact.chips > 0 else {"000 THE CHIPS, D10"})
        elif balance < 0:
            assert fact.rule == "000 BAD LUCK, T-C2, M6, T12"
        else:
            is_exact = not fact.handed and (not fact.chips or balance < SMALLEST_PRIZE_IN_NOTES)
            assert fact.rule.endswith(", M4, M9") != is_exact, fact


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
