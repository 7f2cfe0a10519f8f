"""A bot is asked: with what its seat sees, and with luck that belongs to this ask alone."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct

from rules.legal import choices
from rules.state import State
from workers.bots.decision import Decision, Level, Question
from workers.bots.figures import add_figures


class Request(Struct, frozen=True):
    """A budget of 0 is the level's own. Whoever is `thorough` wants figures of every option."""

    level: str
    view: State
    seat: int
    luck: bytes
    budget: int = 0
    thorough: bool = False


class BotFailed(Exception):
    """It gave no answer, or none that the rules allow; says why."""


class BotHung(BotFailed):
    """It took too long, and would again."""


class BotDied(BotFailed):
    """It did not live to answer; asked again, it may."""


class BotAbsent(BotFailed):
    """There was nobody to ask, or no time left to: no fault of the level's."""


# Raises BotFailed.
AskBot = Callable[[Level, Request], Decision]


def ask_here(level: Level, request: Request) -> Decision:
    """In this process."""
    view, seat, budget = request.view, request.seat, request.budget or level.budget
    options = choices(view, seat)
    question = Question(view, seat, options, budget, Random(request.luck))
    try:
        decision = level.decide(question)
        decision = add_figures(question, decision) if request.thorough else decision
    except Exception as fault:
        raise BotFailed(f"raised {type(fault).__name__}") from fault
    if decision.choice not in options:
        raise BotFailed("gave an answer that is not allowed")
    return decision
