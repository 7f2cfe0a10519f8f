"""The printed examples, explained: the sentences say what the books say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from events.commands import Choose, Start
from events.types import DiceRolled, Event
from events.values import BANDIT, BOX, CASINO, GREY, NEUTRAL, Dice
from rules.editions import EDITIONS
from rules.explain.facts import find_facts
from rules.explain.scene import Fact
from rules.prompt import Casino
from rules.state import Seat, State
from rules.table import Table
from tests.rulebook.test_bandit import the_example_played
from tests.rulebook.test_cards import EMILY as PLAYER_EMILY
from tests.rulebook.test_cards import HENRY, LEO, REBECCA, SELECTIONS, hands_of_the_example
from tests.rulebook.test_chip_cards import owning
from tests.rulebook.test_classic_neutral import carlas_roll
from tests.rulebook.tiles.test_f1 import blocked
from tests.support.languages import format_facts
from tests.support.positions import (
    ANNA,
    BEN,
    CARLA,
    DENNY,
    DiceLaid,
    ScriptedChance,
    answer,
    basic_game,
    pay_out,
    place_number,
    play,
    roll_dice,
    roll_number,
    table_at,
    tile_table,
    with_bank,
    with_chips,
    with_laid,
    with_purse,
)

NEUTRAL_DICE = {"neutral_dice": True}


def explain(state: State, events: Sequence[Event]) -> tuple[Fact, ...]:
    return find_facts(state, Start(ANNA, "random"), tuple(events))


def told_at(
    state: State, casino: Casino, language: str = "en", chance: ScriptedChance | None = None
) -> list[str]:
    """What is said of the payout of one casino, without its name."""
    facts = [fact for fact in explain(state, pay_out(state, chance).events) if fact.casino == casino]
    paid = [fact for fact in facts if fact.what in ("tied", "won", "left_over")]
    return [sentence.partition(": ")[2] for sentence in format_facts(paid, state, language)]


def told_of_answer(state: State, seat: int, choice: str, *black: tuple[int, int]) -> list[str]:
    """What is said of an answer."""
    assert state.ask is not None
    table = answer(state, seat, choice, ScriptedChance(black))
    facts = find_facts(state, Choose(state.ask.id, seat, choice), tuple(table.events))
    return list(format_facts(facts, table.state, "en"))


def check_both(state: State, casino: Casino, english: list[str], german: list[str]) -> None:
    assert told_at(state, casino) == english
    assert told_at(state, casino, "de") == german


# Payouts


def test_five_three_three_and_one_in_the_first_book() -> None:
    """001, ties, example 1 and payout, example 1: 80 to Anna, 30 to Denny, 10 to nobody."""
    dice: DiceLaid = {2: {ANNA: 5, BEN: 3, CARLA: 3, DENNY: 1}}
    check_both(
        table_at("classic", 4, notes={2: (10_000, 80_000, 30_000)}, dice=dice),
        2,
        [
            "Ben and Carla are tied with 3 each and drop out.",
            "Anna, first with 5, gets $80,000.",
            "Denny, second with 1, gets $30,000.",
            "nobody is left for $10,000.",
        ],
        [
            "Ben und Carla haben gleich viel, je 3, und scheiden aus.",
            "Anna, mit 5 auf dem ersten Platz, bekommt 80.000 $.",
            "Denny, mit 1 auf dem zweiten Platz, bekommt 30.000 $.",
            "Für 10.000 $ ist niemand mehr da.",
        ],
    )


@pytest.mark.parametrize("edition", ["classic", "modern"])
def test_two_ties_at_one_casino(edition: str) -> None:
    """001 and 002, ties, example 2 and example 1: two and two, one and one, and nobody wins."""
    state = table_at(edition, 4, notes={1: (60_000,)}, dice={1: {ANNA: 2, BEN: 1, CARLA: 2, DENNY: 1}})
    assert told_at(state, 1) == [
        "Anna and Carla are tied with 2 each and drop out.",
        "Ben and Denny are tied with 1 each and drop out.",
        "nobody is left for $60,000.",
    ]


def test_bots_of_one_level_are_told_apart_by_their_seats() -> None:
    state = table_at("classic", 4, notes={1: (60_000,)}, dice={1: {ANNA: 1, BEN: 2, CARLA: 2}})
    bots = tuple(
        Seat("greedy", "greedy") if number in (1, 2) else one for number, one in enumerate(state.seats)
    )
    assert told_at(replace(state, seats=bots), 1) == [
        "greedy (seat 1) and greedy (seat 2) are tied with 2 each and drop out.",
        "Anna, first with 1, gets $60,000.",
    ]


@pytest.mark.parametrize("edition", ["classic", "modern", "royale"])
def test_two_equal_notes_and_one_player_left(edition: str) -> None:
    """001, 002, payout, example 2; 000, payout, first casino: Ben 40, the other note to nobody."""
    options = {"tiles": 0} if edition == "royale" else {}
    dice: DiceLaid = {3: {BEN: 2, ANNA: 1, CARLA: 1}}
    assert told_at(table_at(edition, 4, options, notes={3: (40_000, 40_000)}, dice=dice), 3) == [
        "Anna and Carla are tied with 1 each and drop out.",
        "Ben, first with 2, gets $40,000.",
        "nobody is left for $40,000.",
    ]


@pytest.mark.parametrize("edition", ["classic", "modern"])
def test_the_third_goes_empty_handed(edition: str) -> None:
    """001 and 002, payout, example 3: Carla 70, Ben 20, and nothing is said to go to Denny."""
    dice: DiceLaid = {6: {DENNY: 1, CARLA: 4, BEN: 2}}
    assert told_at(table_at(edition, 4, notes={6: (70_000, 20_000)}, dice=dice), 6) == [
        "Carla, first with 4, gets $70,000.",
        "Ben, second with 2, gets $20,000.",
    ]


def test_the_big_die_counts_twice_in_what_is_told() -> None:
    """002, ties, example 2 and payout, example 1: Anna's three count four."""
    dice: DiceLaid = {1: {ANNA: Dice(2, 1), BEN: Dice(3), CARLA: Dice(3), DENNY: Dice(1)}}
    assert told_at(table_at("modern", 4, notes={1: (30_000, 80_000)}, dice=dice), 1) == [
        "Ben and Carla are tied with 3 each and drop out.",
        "Anna, first with 4, gets $80,000.",
        "Denny, second with 1, gets $30,000.",
    ]


def test_the_big_die_ties_in_royale() -> None:
    """000, payout, examples 1 and 2: one and a big die are three; a big die ties with two."""
    first: DiceLaid = {3: {ANNA: 5, BEN: 3, CARLA: Dice(1, 1), DENNY: 1}}
    assert told_at(basic_game(4, first, three=(40_000, 70_000)), 3)[0] == (
        "Ben and Carla are tied with 3 each and drop out."
    )
    second: DiceLaid = {2: {ANNA: Dice(0, 1), CARLA: 2, BEN: 1, DENNY: 1}}
    assert told_at(basic_game(4, second, two=(40_000, 70_000)), 2) == [
        "Anna and Carla are tied with 2 each and drop out.",
        "Ben and Denny are tied with 1 each and drop out.",
        "nobody is left for $70,000 and $40,000.",
    ]


# Neutral dice


@pytest.mark.parametrize("edition", ["classic", "modern"])
def test_the_neutral_player_wins_for_nobody(edition: str) -> None:
    """001 and 002, variant, example 1: 80 to white, 30 to Ben."""
    dice: DiceLaid = {1: {NEUTRAL: 3, BEN: 2}}
    check_both(
        table_at(edition, 2, NEUTRAL_DICE, notes={1: (30_000, 80_000)}, dice=dice),
        1,
        [
            "the neutral player, first with 3, wins $80,000, which nobody gets.",
            "Ben, second with 2, gets $30,000.",
        ],
        [
            "die neutralen Würfel gewinnen mit 3 auf dem ersten Platz 80.000 $ für niemanden.",
            "Ben, mit 2 auf dem zweiten Platz, bekommt 30.000 $.",
        ],
    )


@pytest.mark.parametrize("edition", ["classic", "modern"])
def test_the_neutral_player_as_second_keeps_the_third_out(edition: str) -> None:
    """001 and 002, variant, example 2: Carla 70, white 40, Anna nothing."""
    dice: DiceLaid = {4: {CARLA: 3, NEUTRAL: 2, ANNA: 1}}
    assert told_at(table_at(edition, 3, NEUTRAL_DICE, notes={4: (40_000, 70_000)}, dice=dice), 4) == [
        "Carla, first with 3, gets $70,000.",
        "the neutral player, second with 2, wins $40,000, which nobody gets.",
    ]


def test_the_neutral_set_of_royale() -> None:
    """000, variant, examples 1 and 2."""
    first = basic_game(2, {6: {BEN: 2, ANNA: 1}}, six=(30_000, 80_000))
    assert told_at(first, 6, chance=ScriptedChance([(6,) * 8])) == [
        "the neutral player, first with 9, wins $80,000, which nobody gets.",
        "Ben, second with 2, gets $30,000.",
    ]


def test_own_and_neutral_dice_are_placed_together() -> None:
    """001, variant, example: two own 1s and a white one, or the white 6 alone."""
    assert told_of_answer(carlas_roll(), ANNA, "place-1")[0] == (
        "Anna places two dice and one neutral die on Golden Nugget (1)."
    )
    assert told_of_answer(carlas_roll(), ANNA, "place-6")[0] == (
        "Anna places one neutral die on Circus Circus (6)."
    )


# Turns


def test_four_threes_of_five_dice() -> None:
    """001, gameplay, example: Ben's four 3s, then the 5 is rolled again."""
    state = roll_dice(table_at("classic", 2, dice={1: {BEN: 3, ANNA: 8}}), BEN, 3, 3, 3, 3, 5)
    assert told_of_answer(state, BEN, "place-3", (5,))[:2] == [  # type: ignore[arg-type]
        "Ben places four dice on The Mirage (3).",
        "Ben rolls 5.",
    ]


def told_of_roll(state: State, language: str = "en") -> str:
    """What is said of the dice that the first turn rolls."""
    table = Table(state, EDITIONS.of(state), ScriptedChance([(6, 1, 1, 5, 2, 1, 4)]))
    table.roll(ANNA)
    return format_facts(explain(state, table.events), state, language)[0]


def test_a_roll_tells_the_big_die_and_the_neutral_ones_apart() -> None:
    """002: the big die counts as two, and neutral dice for nobody, so they are not told like the others."""
    state = table_at("modern", 2)
    assert told_of_roll(state) == "Anna rolls 1 1 1 2 5 6 and 4 with the big die."
    assert told_of_roll(state, "de") == "Anna würfelt 1 1 1 2 5 6 und 4 mit dem großen Würfel."


@pytest.mark.parametrize(
    ("rolled", "told"),
    [
        (DiceRolled(0, ANNA, (1, 3), big=None, neutral=(2,)), "Anna rolls 1 3 and 2 with a neutral die."),
        (DiceRolled(0, ANNA, (), big=6), "Anna rolls 6 with the big die."),
        (
            DiceRolled(0, ANNA, (1, 3), big=6, neutral=(2, 2)),
            "Anna rolls 1 3, 6 with the big die and 2 2 with neutral dice.",
        ),
        (
            DiceRolled(0, None, big=4, neutral=(1, 5)),
            "Before the first turn the spare dice show 1 5 and 4 with the big die.",
        ),
        (DiceRolled(0, None, neutral=(1, 5)), "Before the first turn the spare dice show 1 5."),
    ],
)
def test_faces_are_told_by_the_dice_that_show_them(rolled: DiceRolled, told: str) -> None:
    state = table_at("modern", 2)
    assert format_facts(explain(state, (rolled,)), state, "en") == (told,)


# The one-armed bandit


def test_the_bandit_goes_by_dice_then_pips_then_the_highest_number() -> None:
    """002, one-armed bandit, example: Carla's 4, 4, 1 before Denny's three 3s; Ben has fewer."""
    state = the_example_played()
    told = [
        "Carla, first with 3, 9 pips and a 4, gets $90,000.",
        "Denny, second with 3, 9 pips and a 3, gets $50,000.",
    ]
    assert told_at(state, "bandit") == told
    assert told_at(state, "bandit", "de")[0] == (
        "Carla, mit 3, 9 Augen und einer 4 auf dem ersten Platz, bekommt 90.000 $."
    )
    assert notes_of_bandit(state) == (90_000, 50_000)


def notes_of_bandit(state: State) -> tuple[int, ...]:
    return tuple(sorted(state.notes[BANDIT], reverse=True))


# The card game


def test_ties_of_cards_go_by_their_dice() -> None:
    """004, payout, example: three cards and four with four dice, one card and two with two."""
    state = table_at("cards", 4, notes={5: (40_000, 90_000)})
    for seat, cards in (
        (LEO, ("5", "5", "5d")),
        (HENRY, ("5",) * 4),
        (REBECCA, ("5d",)),
        (PLAYER_EMILY, ("5", "5")),
    ):
        state = with_laid(state, seat, *cards)
    assert told_at(state, 5) == [
        "Anna and Ben are tied with 4 each and drop out.",
        "Carla and Denny are tied with 2 each and drop out.",
        "nobody is left for $90,000 and $40,000.",
    ]


def test_the_last_selection_shows_what_everybody_selected() -> None:
    """004, selection criteria, example: three 5s, two 6s, a 1 and a 4, a 5."""
    state = hands_of_the_example()
    *others, last = SELECTIONS
    for seat in others:
        state = play(state, seat, SELECTIONS[seat])
    told = told_of_answer(state, last, SELECTIONS[last])
    assert told[1:5] == ["Anna lays 5 5 5d.", "Ben lays 6 6.", "Carla lays 1 4.", "Denny lays 5."]


def test_chip_cards_are_in_the_sums_that_are_told() -> None:
    """004, chip cards, example: two pink and four golden ones are $130,000."""
    state = owning(notes={}, leo=("pink",) * 2 + ("gold",) * 4)
    (over,) = [fact for fact in explain(state, pay_out(state).events) if fact.what == "round_over"]
    assert "Anna $130,000" in format_facts((over,), state, "en")[0]


# Tiles


def test_blank_dice_take_the_lead_away_and_the_token_goes_back() -> None:
    """000 BLOCK IT!, example: two dice lead at POWER PLAY until two blank ones come."""
    state = place_number(tile_table("D2", dice={1: {BEN: 1, CARLA: 1}}), ANNA, 1, small=2).state
    table = Table(state, EDITIONS.newest["royale"], ScriptedChance())
    table.move_dice(GREY, BOX, CASINO[1], 2)
    facts = explain(state, table.events)
    assert format_facts(facts, state, "en") == (
        "Miracle (1) gets two grey dice.",
        "Anna no longer leads at Miracle (1), and the token of Power Play goes back to it.",
    )
    assert format_facts(facts, state, "de")[1] == (
        "Anna führt auf Miracle (1) nicht mehr, und der Marker von Power Play geht zurück."
    )


def test_grey_dice_tie_and_nobody_wins() -> None:
    """000 BLOCK IT!, example: one, one and two dice, and two grey ones."""
    assert told_at(blocked(2, 2, dice={2: {ANNA: 1, BEN: 1, CARLA: 2}}), 2) == [
        "Anna and Ben are tied with 1 each and drop out.",
        "Carla and the grey player are tied with 2 each and drop out.",
        "nobody is left for $90,000 and $30,000.",
    ]


def test_who_takes_a_token_is_said_to_take_it() -> None:
    """T-C1, T-D2: it does not lie on its tile any more."""
    told = told_of_answer(roll_number(tile_table("C1", dice={1: {ANNA: 4}}), ANNA, 1), ANNA, "place-1")
    assert told[1] == "Anna, with 5 at Miracle (1), takes the token of High Five."
    told = told_of_answer(roll_number(tile_table("D2"), BEN, 1), BEN, "place-1")
    assert told[1] == "Ben, with 1 at Miracle (1), takes the token of Power Play."


def test_a_closed_casino_is_told_with_the_tile_that_closes_it() -> None:
    """T-E1: the token of NO ENTRY! closes another casino."""
    state = answer(roll_number(tile_table("E1"), ANNA, 1), ANNA, "place-1", ScriptedChance()).state
    assert state.ask is not None
    events = tuple(answer(state, ANNA, "close-4", ScriptedChance()).events)
    facts = find_facts(state, Choose(state.ask.id, ANNA, "close-4"), events)
    assert [(fact.casino, fact.tile) for fact in facts if fact.what == "closed"] == [(4, "E1")]


def test_a_tile_of_which_nothing_comes_is_not_said_to_be_activated() -> None:
    """T-C1: the fifth die takes the token, no earlier one."""
    told = told_of_answer(roll_number(tile_table("C1"), ANNA, 1), ANNA, "place-1")
    assert told[0] == "Anna places one die on Miracle (1)."


def test_bad_luck_says_who_has_the_fewest_and_pays() -> None:
    """T-C2: all who are level, and none at all is a number."""
    state = with_bank(tile_table("C2", dice={1: {ANNA: 2, BEN: 1}}))
    for seat in range(3):
        state = with_chips(with_purse(state, seat, 50_000), seat, 0)
    facts = [fact for fact in explain(state, pay_out(state).events) if fact.tile == "C2" and fact.owner]
    assert format_facts(facts, state, "en") == (
        "Carla has the fewest dice at Miracle (1), 0, and has to pay for Bad Luck.",
        "Carla pays $50,000 to the bank for Bad Luck.",
    )


def test_a_prize_paid_with_change_is_the_prize_of_the_tile_that_gives_it() -> None:
    """M4, T-G2: the notes that are handed over first are no fine, whatever else lies out."""
    dice: DiceLaid = {"G2-space": {ANNA: 2}, 1: {ANNA: 1, BEN: 1, CARLA: 1}}
    state = with_bank(tile_table("C2", "G2", dice=dice, notes={2: (90_000, 30_000)}), 100_000)
    state = with_chips(with_purse(state, ANNA, 40_000), ANNA, 0)
    facts = explain(state, pay_out(state).events)
    (paid,) = [fact for fact in facts if fact.what == "paid" and fact.tile == "G2"]
    assert format_facts((paid,), state, "en") == (
        "Double Down pays $60,000 (Anna hands over $40,000 and gets $100,000) to Anna, first there with 2.",
    )
    assert format_facts((paid,), state, "de") == (
        "Double Down zahlt Anna, dort mit 2 auf dem ersten Platz, 60.000 $ (Anna gibt 40.000 $ und "
        "bekommt 100.000 $).",
    )


def test_the_change_for_a_fine_is_no_prize_of_the_tile_that_paid_before() -> None:
    """M6, T-C2: DOUBLE DOWN lies at the casino that was paid last."""
    dice: DiceLaid = {1: {ANNA: 2, BEN: 1}}
    codes = ("C2", "A1", "D1", "E1", "F1", "G2")
    state = with_bank(tile_table(*codes, dice=dice, notes={6: (90_000, 30_000)}), 40_000)
    state = with_chips(with_purse(state, CARLA, 90_000), CARLA, 0)
    paid = [fact for fact in explain(state, pay_out(state).events) if fact.what == "paid" and fact.tile]
    assert format_facts(paid, state, "en") == (
        "Carla pays $50,000 (Carla hands over $90,000 and gets $40,000) to the bank for Bad Luck.",
    )


def test_a_tile_that_another_one_activates_pays_under_its_own_name() -> None:
    """T-H2, T8: MY CHOICE is told to activate PAY DAY."""
    state = place_number(tile_table("H2", "D1"), ANNA, 1, black=[(4, 4)]).state
    state = play(state, ANNA, "use-4")
    assert "Pay Day pays one chip to Anna." in told_of_answer(state, ANNA, "activate-2")


def test_a_die_that_power_play_places_activates_its_tile_under_its_own_name() -> None:
    """T-D2, T6."""
    state = place_number(
        tile_table("D2", "A2", dice={3: {BEN: Dice(7, 1), CARLA: Dice(7, 1)}}), ANNA, 1
    ).state
    told = told_of_answer(state, ANNA, "set-small-2", (4, 4))
    assert told[1:4] == [
        "Anna puts one die on Oasis (2).",
        "Anna throws the black dice: 4 4.",
        "Jackpot pays three chips to Anna.",
    ]


def test_prime_time_throws_for_who_leads_there() -> None:
    """T-B1: although the last die was placed elsewhere, and by somebody else."""
    dice: DiceLaid = {1: {BEN: 3}}
    state = tile_table("B1", "A2", dice=dice)
    facts = explain(state, pay_out(state, ScriptedChance([(5, 6)])).events)
    assert format_facts(facts, state, "en")[0] == "Ben throws the black dice: 5 6."
    assert facts[0].tile == "B1"


def test_what_was_hidden_is_told_in_words() -> None:
    """T-A1."""
    state = play(place_number(tile_table("A1"), ANNA, 1).state, ANNA, "hide-2")
    assert told_of_answer(state, BEN, "guess-1")[1:3] == [
        "Anna had chosen: “Hide two tokens: $30,000 for you if Ben guesses wrong”.",
        "Lucky Punch pays three chips to Anna.",
    ]


# Why the next seat starts


def told_of_start(state: State) -> str:
    facts = explain(state, pay_out(state).events)
    return next(sentence for sentence in format_facts(facts, state, "en") if sentence.startswith("Round 2"))


def test_the_start_goes_to_the_last_winner_or_stays() -> None:
    """P4: where no player wins a higher note, nothing is said of one."""
    won = basic_game(3, {5: {CARLA: 2}}, five=(40_000, 70_000))
    assert told_of_start(won) == (
        "Round 2 begins, and Carla starts: theirs was the higher note of the last casino that a player won."
    )
    assert told_of_start(basic_game(3)) == (
        "Round 2 begins, and Anna starts: no player won a higher note, so the start stays where it was."
    )
