"""Asks a bot: with the view of its seat, and with chance that belongs to this ask alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from msgspec import UNSET, Struct
from msgspec.structs import replace

from rules import State, legal
from rules.legal import choices
from workers import simulation
from workers.bots import greedy
from workers.bots.protocol import Candidate, Decision, Level, Question, merit

# Playouts of each option.
PLAYOUTS = 60


def add_figures(question: Question, decision: Decision) -> Decision:
    return _add_worth(question, _add_chances(question, decision))


def _add_worth(question: Question, decision: Decision) -> Decision:
    """Where what an option does is not to be seen from one casino: what the table is worth after it."""
    if all(option.standing is not UNSET for option in legal(question.view, question.seat)):
        return decision
    weighed = greedy.decide(replace(question, budget=greedy.BUDGET)).candidates
    found = {one.choice: one for one in weighed}
    candidates = tuple(_value(one, found[one.choice]) for one in decision.candidates)
    return replace(decision, candidates=candidates)


def _value(one: Candidate, found: Candidate) -> Candidate:
    """What is in hand has a price for the level alone that sets it."""
    return one if one.gain is not None else replace(one, gain=found.gain, harm=found.harm)


def _add_chances(question: Question, decision: Decision) -> Decision:
    """In play a forced move is not thought about, and what is mixed goes by no figures."""
    if all(_is_complete(one) for one in decision.candidates):
        return decision
    found = {one.choice: one for one in _weigh(replace(question, budget=PLAYOUTS))}
    candidates = [_complete(one, found.get(one.choice, one)) for one in decision.candidates]
    return replace(decision, candidates=rank(candidates, decision.choice))


def rank(candidates: Iterable[Candidate], chosen: str) -> tuple[Candidate, ...]:
    """What was chosen, for whatever reason, and then the others by what is told of them."""
    by_merit = sorted(candidates, key=merit, reverse=True)
    return tuple(sorted(by_merit, key=lambda one: one.choice != chosen))


def _weigh(question: Question) -> tuple[Candidate, ...]:
    simulator = simulation.find_simulator(question) or simulation.find_revealing(question)
    return () if simulator is None else simulator.weigh(question)


def _is_complete(one: Candidate) -> bool:
    return one.money is not None and one.win is not None


def _complete(one: Candidate, found: Candidate) -> Candidate:
    money = found.money if one.money is None else one.money
    return replace(one, money=money, win=found.win if one.win is None else one.win)


class BotRequest(Struct, frozen=True):
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
AskBot = Callable[[Level, BotRequest], Decision]


def ask_here(level: Level, request: BotRequest) -> Decision:
    """In this process."""
    view = request.view
    seat = request.seat
    budget = request.budget or level.budget
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
