"""What greedy hides cannot be known from how it plays."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from random import Random
from statistics import fmean

import pytest

from rules.legal import choices
from rules.state import view
from tests.support.bots import GREEDY, states_asking
from workers.bots.evaluator import Evaluator
from workers.bots.mixed_strategy import Matrix, best_reply, mix

GAMES = 64
TOKENS = (60, 20, 20, 0, 0, 0)
FIST = {1: 20, 2: 30, 3: 40}
# What each side of LUCKY PUNCH can make sure of: with p in proportion to 1/20, 1/30 and 1/40.
EVEN_FIST = 240 / 13


@cache
def answers(prompt: str, tile: str) -> list[str]:
    """One for each of so many games, each with luck of its own."""
    found = states_asking(prompt, {"tile_codes": (tile,)}, 3, games=4)
    return [
        GREEDY.choose(view(*found[luck % len(found)]), found[luck % len(found)][1], Random(luck))
        for luck in range(GAMES)
    ]


def test_it_parts_the_black_box_in_more_than_one_way() -> None:
    partings = Counter(answers("G1.part", "G1"))
    assert len(partings) > 1
    assert max(partings.values()) < GAMES * 0.6


def test_who_knows_how_it_parts_the_black_box_gains_nothing() -> None:
    """The winner sees the sizes, knows how often which pile lies where, and still gets half the money."""
    piles = defaultdict(list)
    for parting in answers("G1.part", "G1"):
        first = [int(token) for token in parting.split("-")[1:]]
        piles[len(first)].append(sum(first))
    best = [max(fmean(firsts), sum(TOKENS) - fmean(firsts)) * len(firsts) for firsts in piles.values()]
    assert sum(best) / GAMES == pytest.approx(50, abs=4)


def test_the_winner_cannot_get_more_than_the_gold_token() -> None:
    for parting in answers("G1.part", "G1"):
        first = sum(int(token) for token in parting.split("-")[1:])
        assert max(first, sum(TOKENS) - first) == 60


def test_nor_does_it_always_take_the_same_pile() -> None:
    assert set(answers("G1.take", "G1")) == {"take-1", "take-2"}


def test_its_fist_cannot_be_guessed() -> None:
    hidden = Counter(int(answer[-1]) for answer in answers("A1.hide", "A1"))
    assert set(hidden) == set(FIST)
    for guess in FIST:
        won = sum(FIST[tokens] * count for tokens, count in hidden.items() if tokens != guess)
        assert won / GAMES >= EVEN_FIST - 4


def test_who_knows_how_it_guesses_hides_nothing_better() -> None:
    """A guesser who took any number equally often would pay 27 to whoever hides three."""
    guesses = Counter(int(answer[-1]) for answer in answers("A1.guess", "A1"))
    for tokens, prize in FIST.items():
        assert prize * (1 - guesses[tokens] / GAMES) <= EVEN_FIST + 4


def test_lucky_punch_is_worth_what_it_wins_from_somebody_who_guesses_well() -> None:
    state, seat = states_asking("A1.hide", {"tile_codes": ("A1",)}, 3, games=1)[0]
    seen = view(state, seat)
    outlook = Evaluator(seat, 0, options=3)
    mixture = outlook.mix(seen, choices(seen, seat))
    assert mixture is not None
    assert mixture.valuation.own - outlook.weigh_now(seen).own == pytest.approx(EVEN_FIST * 1_000, rel=0.01)


def test_where_nothing_is_hidden_nothing_is_mixed() -> None:
    state, seat = states_asking("B2.bet", {"tile_codes": ("B2",)}, 3, games=1)[0]
    assert Evaluator(seat, 0, options=3).mix(view(state, seat), choices(state, seat)) is None


@pytest.mark.parametrize(
    ("matrix", "weights"),
    [
        (((0, -1, 1), (1, 0, -1), (-1, 1, 0)), (1 / 3, 1 / 3, 1 / 3)),
        (((60, 40), (40, 60)), (0.5, 0.5)),
        (((3, -1), (-2, 4)), (0.6, 0.4)),
        (((5, 6), (1, 9), (4, 5)), (1, 0, 0)),
    ],
)
def test_mixing_finds_the_solutions_of_the_textbook(matrix: Matrix, weights: tuple[float, ...]) -> None:
    assert mix(matrix) == pytest.approx(weights, abs=0.02)


def test_nobody_gains_by_knowing_a_mixture() -> None:
    """What it leaves to the best reply is what the other side can hold it to: the game has one value."""
    rng = Random(7)
    for _ in range(12):
        matrix = tuple(tuple(rng.randrange(100) for _ in range(3)) for _ in range(4))
        turned = tuple(tuple(-cell for cell in column) for column in zip(*matrix, strict=True))
        assert _assured(matrix) == pytest.approx(-_assured(turned), abs=1)


def _assured(matrix: Matrix) -> float:
    weights = mix(matrix)
    reply = best_reply(matrix, weights)
    return sum(row[reply] * weight for row, weight in zip(matrix, weights, strict=True))
