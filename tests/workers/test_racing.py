"""Most playouts go to the options that may be best."""

from __future__ import annotations

from collections import Counter
from random import Random

from rules.state import EMPTY
from workers.bots.protocol import Candidate, Question, merit
from workers.simulation.racing import Stage, race, scale

STAGES = (Stage(9, 100), Stage(3, 200), Stage(2, 400))
CHANCES = {"bad": 0.1, "good": 0.5, "fair": 0.47, "equal": 0.49, "poor": 0.45}


class Playouts:
    """Options win as often as CHANCES says, and a little more in the first stage if luck is kind to them."""

    def __init__(self, luck: dict[str, float]) -> None:
        self.played = Counter[str]()
        self._luck = luck

    def play(self, question: Question, playouts: int) -> tuple[Candidate, ...]:
        is_first = not self.played
        for option in question.options:
            self.played[option] += playouts
        wins = {option: CHANCES[option] + self._luck.get(option, 0) * is_first for option in question.options}
        return tuple(Candidate(option, money=10, win=win) for option, win in wins.items())


def run(luck: dict[str, float]) -> tuple[list[str], Counter[str]]:
    """The options, best first, and how often each was played out."""
    playouts = Playouts(luck)
    found = race(Question(EMPTY, 0, tuple(CHANCES), 1, Random(1)), STAGES, playouts.play)
    assert [one.choice for one in found] == list(CHANCES)
    assert all(0 <= (one.win or 0) <= 1 for one in found)
    return [one.choice for one in sorted(found, key=merit, reverse=True)], playouts.played


def test_the_best_are_played_out_most() -> None:
    ranked, played = run({})
    assert ranked == ["good", "equal", "fair", "poor", "bad"]
    assert played == {"good": 700, "equal": 700, "fair": 300, "poor": 100, "bad": 100}


def test_early_luck_does_not_decide() -> None:
    """What was dropped stays behind the best, though its figures came from a lucky stage."""
    ranked, _ = run(dict.fromkeys(CHANCES, 0.3))
    assert ranked[0] == "good"
    assert run({"fair": 0.08})[0][0] == "good"


def test_one_that_is_far_ahead_is_not_played_out_again() -> None:
    _, played = run({"good": 0.4})
    assert set(played.values()) == {100}


def test_stages_grow_with_the_budget() -> None:
    assert scale(STAGES, 30, 60) == (Stage(9, 50), Stage(3, 100), Stage(2, 200))
