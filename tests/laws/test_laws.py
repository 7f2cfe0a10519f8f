"""What holds at every commit of every game that any edition and its options allow."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from rules.editions import EDITIONS
from rules.legal import choices
from rules.options import complete_options
from rules.ruleset import OptionSpec, Ruleset
from tests.support.game_loop import SeededChance, plans, play_moves, seeds
from tests.support.laws import (
    awaited_seats,
    check_acceptance,
    check_asks,
    check_chance_numbers,
    check_conservation,
    check_descriptions,
    check_log_round_trip,
    check_replay,
    check_result,
    check_secrecy,
    things_dealt,
)
from tests.support.profiles import examples
from tests.support.refusals import check_refusals

# About twice what the longest games need, played by those who want no end.
MOST_ANSWERS = 1_000
HEARD = 8

each_edition = pytest.mark.parametrize("ruleset", EDITIONS.newest.values(), ids=lambda ruleset: ruleset.id)
many = examples(5, long=100)
few = examples(3, long=60)


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_no_note_die_chip_or_card_comes_or_goes(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """All lie somewhere, at every commit, as many as came out of the box."""
    plan = data.draw(plans(ruleset))
    for move in play_moves(plan, seed):
        if move.after.status != "lobby":
            check_conservation(move.after, things_dealt(plan))


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_replaying_a_game_leads_to_the_same_table(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """Commit by commit, and all at once from what was written to the log."""
    game = list(play_moves(data.draw(plans(ruleset)), seed))
    for move in game:
        check_replay(move)
    check_log_round_trip(game)


@each_edition
@few
@given(data=st.data(), seed=seeds, odd=st.text(max_size=9))
def test_what_is_listed_is_accepted_and_nothing_else(
    ruleset: Ruleset, data: st.DataObject, seed: int, odd: str
) -> None:
    """Answers to other asks, of other seats and under other numbers are refused and change nothing."""
    random, heard, chance = Random(seed), set[str](), SeededChance(seed)
    for move in play_moves(data.draw(plans(ruleset)), seed):
        state = move.after
        check_acceptance(state, chance)
        check_refusals(state, (odd, *random.sample(sorted(heard), min(len(heard), HEARD))), chance)
        heard |= {choice for seat in awaited_seats(state) for choice in choices(state, seat)}


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_one_thing_is_asked_at_a_time_and_every_answer_has_words(
    ruleset: Ruleset, data: st.DataObject, seed: int
) -> None:
    """The seat that is asked finds all its answers in its own view."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        check_asks(move)
        check_descriptions(move.after)


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_viewers_can_follow_with_what_they_may_see(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """To hide and then to fold is to fold and then to hide, for every seat and a spectator."""
    for move in play_moves(data.draw(plans(ruleset)), seed):
        check_secrecy(move)


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_chance_is_asked_once_for_every_number(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """Nothing is rolled or drawn twice, and nothing in between is thrown away."""
    chance = SeededChance(seed)
    check_chance_numbers(list(play_moves(data.draw(plans(ruleset)), seed, chance=chance)), chance)


@each_edition
@many
@given(data=st.data(), seed=seeds)
def test_every_game_ends_with_the_result_it_earned(ruleset: Ruleset, data: st.DataObject, seed: int) -> None:
    """P6: and soon enough, whatever is answered."""
    game = list(play_moves(data.draw(plans(ruleset)), seed))
    assert len(game) <= MOST_ANSWERS
    assert (game[-1].after.status, game[-1].after.round) == ("over", ruleset.rounds)
    check_result(game)


# Nobody reads the plan, so the smallest is not looked for.
THE_FIRST_FOUND = settings(phases=[Phase.generate], max_examples=2_000)


@pytest.mark.parametrize(
    ("ruleset", "spec"),
    [
        pytest.param(ruleset, spec, id=f"{ruleset.id}-{spec.name}")
        for ruleset in EDITIONS.newest.values()
        for spec in ruleset.options
    ],
)
def test_no_option_is_left_out(ruleset: Ruleset, spec: OptionSpec) -> None:
    """What is drawn above reaches every option, and the rules take every set of them."""
    plan = find(plans(ruleset), lambda plan: bool(plan.options.get(spec.name)), settings=THE_FIRST_FOUND)
    assert complete_options(ruleset, plan.players, plan.options)[spec.name] == plan.options[spec.name]
