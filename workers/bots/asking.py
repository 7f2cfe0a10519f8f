"""Asks a bot for its move: with the view of its seat, and with random numbers for this question alone."""

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


class BotRequest(Struct, frozen=True):
    """Says which level is asked for the move of which seat, and with what view and random seed.

    With a budget of 0 the level uses its own. If `thorough` is set, figures are wanted for every option, also
    where the level would not compute them to choose.
    """

    level: str
    view: State
    seat: int
    luck: bytes
    budget: int = 0
    thorough: bool = False


class BotFailed(Exception):
    """Says why the bot gave no answer, or none that the rules allow."""


class BotHung(BotFailed):
    """Says that the bot took too long; it would take as long again."""


class BotDied(BotFailed):
    """Says that the bot's process ended before it answered; a second try may succeed."""


class BotAbsent(BotFailed):
    """Says that no bot process was ready, or no time was left to ask it. The level is not at fault."""


# Asks a level for its move. Raises BotFailed.
AskBot = Callable[[Level, BotRequest], Decision]


def ask_here(level: Level, request: BotRequest) -> Decision:
    """Ask the bot in this process for its move. Raises BotFailed.

    `fallback.py` calls it directly, `subprocess.py` inside the child.
    """
    view = request.view
    seat = request.seat
    budget = request.budget or level.budget
    options = choices(view, seat)
    question = Question(view, seat, options, budget, Random(request.luck))
    try:
        decision = level.decide(question)
        if request.thorough:
            decision = add_figures(question, decision)
    except Exception as fault:
        raise BotFailed(f"raised {type(fault).__name__}") from fault
    if decision.choice not in options:
        raise BotFailed("gave an answer that is not allowed")
    return decision


# Playouts of each option, for figures that the level left out.
PLAYOUTS = 60


def add_figures(question: Question, decision: Decision) -> Decision:
    """Return the decision with the figures that the level left out, for every option; the choice stays."""
    return _add_payout_changes(question, _add_chances(question, decision))


def _add_payout_changes(question: Question, decision: Decision) -> Decision:
    """Add `gain` and `harm`, computed by the greedy level, where the options do not show them.

    An option that concerns one casino has the standing there, which shows what it changes.
    """
    if all(option.standing is not UNSET for option in legal(question.view, question.seat)):
        return decision
    weighed = greedy.decide(replace(question, budget=greedy.BUDGET)).candidates
    found = {one.choice: one for one in weighed}
    candidates = tuple(_fill_payout_change(one, found[one.choice]) for one in decision.candidates)
    return replace(decision, candidates=candidates)


def _fill_payout_change(one: Candidate, found: Candidate) -> Candidate:
    """Return the candidate with `gain` and `harm` of `found`, unless the level has set them itself.

    `hand` is not copied: only the level that prices what is in hand may show that price.
    """
    return one if one.gain is not None else replace(one, gain=found.gain, harm=found.harm)


def _add_chances(question: Question, decision: Decision) -> Decision:
    """Add `money` and `win` from playouts, and rank the candidates by them behind the chosen one.

    A level leaves them out for a forced move, which it does not think about, and for a mixed strategy, which
    does not choose by figures.
    """
    if all(_is_complete(one) for one in decision.candidates):
        return decision
    found = {one.choice: one for one in _play_out(replace(question, budget=PLAYOUTS))}
    candidates = [_complete(one, found.get(one.choice, one)) for one in decision.candidates]
    return replace(decision, candidates=rank(candidates, decision.choice))


def rank(candidates: Iterable[Candidate], chosen: str) -> tuple[Candidate, ...]:
    """Return the chosen candidate first, and then the others by their figures, best first."""
    by_merit = sorted(candidates, key=merit, reverse=True)
    return tuple(sorted(by_merit, key=lambda one: one.choice != chosen))


def _play_out(question: Question) -> tuple[Candidate, ...]:
    """Return the options with `money` and `win` from playouts; empty if no simulator knows the question."""
    simulator = simulation.find_simulator(question) or simulation.find_for_display_only(question)
    return () if simulator is None else simulator.weigh(question)


def _is_complete(one: Candidate) -> bool:
    """Return whether the candidate has both `money` and `win`."""
    return one.money is not None and one.win is not None


def _complete(one: Candidate, found: Candidate) -> Candidate:
    """Return the candidate with its missing `money` or `win` taken from `found`."""
    money = found.money if one.money is None else one.money
    win = found.win if one.win is None else one.win
    return replace(one, money=money, win=win, exact=found.exact and (money, win) == (found.money, found.win))
