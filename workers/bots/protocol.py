"""Defines what a bot is asked and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct

from rules import State
from rules.legal import choices

# Chances to win that differ by less are as good as equal, and more money is better.
FINEST = 10_000
# By this policy rivals play in exact figures, and all seats in playouts; docs/bots.md describes it.
RIVALS = "sensible"


class Question(Struct, frozen=True):
    """Asks for the move of a seat.

    `view` is what the seat sees, and `budget` the number of simulations, for each option or in all as the
    level defines it. All random numbers come from `chance`: equal views, budgets and chances get equal
    answers.
    """

    view: State
    seat: int
    options: tuple[str, ...]
    budget: int
    chance: Random


class Candidate(Struct, frozen=True):
    """Holds an option with the figures of a level; a figure that the level does not compute is None.

    `money` is what the seat expects from this round, and `win` its chance to win the game. If every casino
    paid right after the option, the seat would have `gain` more than now, and its rivals together `harm`
    less. `hand` is the change of the price that the level sets on what is in hand. All money is in dollars.
    `exact` says that `money` and `win` are means over all throws, and not over a sample of them.
    """

    choice: str
    money: int | None = None
    win: float | None = None
    gain: int | None = None
    harm: int | None = None
    hand: int | None = None
    exact: bool = False


class Decision(Struct, frozen=True):
    """Holds the choice, and all options: the chosen one first, and ranked where the level ranks them."""

    choice: str
    candidates: tuple[Candidate, ...]


class Level(Struct, frozen=True):
    """Describes a bot that a seat can be given.

    The same `build` always answers the same question in the same way; another build may answer otherwise.
    """

    name: str
    build: str
    budget: int
    decide: Callable[[Question], Decision]

    def choose(self, view: State, seat: int, chance: Random) -> str:
        """Return the level's answer for this seat, with its own budget."""
        return self.decide(Question(view, seat, choices(view, seat), self.budget, chance)).choice


def name_candidates(question: Question, choice: str) -> Decision:
    """Return a decision without figures."""
    others = (option for option in question.options if option != choice)
    return Decision(choice, (Candidate(choice), *map(Candidate, others)))


def merit(candidate: Candidate) -> tuple[int, int]:
    """Return the key by which candidates are compared: the chance to win, then money.

    It consists of whole numbers, so that every machine sorts alike. The sort is stable: of equal options the
    first one stays first.
    """
    return round(FINEST * (candidate.win or 0)), candidate.money or 0
