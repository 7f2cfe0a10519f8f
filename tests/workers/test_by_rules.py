"""What no twin claims: weighed through the rules, with work that has a bound."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from rules.legal import choices
from rules.lookahead import begin_turn
from rules.state import view
from tests.support.bots import RANDOM, TABLES, states_asking, states_of_game
from workers.bots.evaluator import LONGEST_MOVE
from workers.bots.protocol import Question
from workers.bots.valuation import SOME_THROWS, SampledChance
from workers.simulation import by_rules

# A move goes on until it is over, and its last question has so many options.
MOST_OPTIONS = 24


def questions(edition: str, options: dict[str, Any], players: int, every: int) -> list[Question]:
    found = list[Question]()
    for state in list(states_of_game(edition, options, [RANDOM] * players, seed=4))[::every]:
        if state.ask is not None:
            seat = state.ask.awaited[0]
            seen = view(state, seat)
            found.append(Question(seen, seat, choices(seen, seat), 4, Random(1)))
    return found


@pytest.mark.parametrize(("edition", "options", "players"), TABLES)
def test_every_option_is_weighed_in_every_edition(
    edition: str, options: dict[str, Any], players: int
) -> None:
    claimed = [
        question for question in questions(edition, options, players, every=25) if by_rules.claims(question)
    ]
    for question in claimed:
        found = by_rules.weigh(question)
        assert [candidate.choice for candidate in found] == list(question.options)
        assert all(candidate.money is not None for candidate in found)
        assert all(0 <= (candidate.win or 0) <= 1 for candidate in found)


def test_the_number_of_tried_answers_has_a_bound() -> None:
    for question in questions("royale", {"tiles": 6}, 4, every=12):
        options = len(question.options)
        replies = by_rules.Replies(question.seat, 1, options, by_rules.MOST_TRIALS)
        for option in question.options:
            before = replies.tried
            replies.weigh_option(question, option, 0)
            share = by_rules.MOST_TRIALS // options
            assert replies.tried - before <= share + LONGEST_MOVE + by_rules.MOST_PLAYOUTS * MOST_OPTIONS


def test_what_hides_or_guesses_is_left_to_those_who_mix() -> None:
    for prompt, tile in (("A1.hide", "A1"), ("A1.guess", "A1"), ("G1.part", "G1"), ("G1.take", "G1")):
        (state, seat), *_ = states_asking(prompt, {"tile_codes": (tile,)}, 3, 3)
        seen = view(state, seat)
        assert not by_rules.claims(Question(seen, seat, choices(seen, seat), 4, Random(1)))


def test_others_answer_until_the_seat_is_asked_again_or_the_round_is_over() -> None:
    (question, *_) = questions("classic", {}, 3, every=1)
    after = by_rules.Replies(question.seat, 1, 1, 400)
    leaf, *_ = after.leaves(question.view, question.options[0], SOME_THROWS)
    reached = begin_turn(leaf.state, SampledChance(1))
    assert reached.ask is not None
    assert reached.ask.awaited == (question.view.left_of(question.seat),)
