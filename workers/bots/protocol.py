"""The protocol of bots: the question and the decision."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct

from rules import State
from rules.legal import choices

# Chances to win that differ by less are as good as equal, and more money is better.
FINEST = 10_000


class Question(Struct, frozen=True):
    """`view` is what the seat sees, `budget` the simulations it may try for each option or in all.

    Whatever is left to chance is drawn from `chance`: equal views, budgets and chances get equal answers.
    """

    view: State
    seat: int
    options: tuple[str, ...]
    budget: int
    chance: Random


class Candidate(Struct, frozen=True):
    """An option as a level sees it; what a level does not work out is None.

    `money` is what the seat expects from this round and `win` its chance to win the game. If every casino
    paid right after it, the seat would have `gain` more than now, and its rivals together `harm` less. Where
    the level sets a price on what is in hand, `hand` is by how much that changes. All money is in dollars.
    """

    choice: str
    money: int | None = None
    win: float | None = None
    gain: int | None = None
    harm: int | None = None
    hand: int | None = None


class Decision(Struct, frozen=True):
    """`candidates` are all options, best first where the level ranks them."""

    choice: str
    candidates: tuple[Candidate, ...]


class Level(Struct, frozen=True):
    """A bot that seats can be given. Another `build` may answer otherwise; the same one never does."""

    name: str
    build: str
    budget: int
    decide: Callable[[Question], Decision]

    def choose(self, view: State, seat: int, chance: Random) -> str:
        return self.decide(Question(view, seat, choices(view, seat), self.budget, chance)).choice


def name_candidates(question: Question, choice: str) -> Decision:
    """A choice without reasons."""
    others = (option for option in question.options if option != choice)
    return Decision(choice, (Candidate(choice), *map(Candidate, others)))


def merit(candidate: Candidate) -> tuple[int, int]:
    """In whole numbers, so that no machine rounds it otherwise; of equals, the first option comes first."""
    return round(FINEST * (candidate.win or 0)), candidate.money or 0
