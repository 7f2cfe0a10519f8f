"""Plays as the level `greedy`: takes what is worth most now, and never gives up own money for nothing."""

from __future__ import annotations

from collections.abc import Mapping

from workers.bots.evaluator import MOST_TRIALS, Evaluator
from workers.bots.protocol import Candidate, Decision, Question, name_candidates
from workers.bots.valuation import Valuation

BUILD = "1"
# Answers tried through the rules, all options together.
BUDGET = MOST_TRIALS


def decide(question: Question) -> Decision:
    """Return the option of the highest value now, or one drawn from a mixed strategy where one is due."""
    view = question.view
    options = question.options
    chance = question.chance
    if len(options) == 1:
        return name_candidates(question, options[0])
    evaluator = Evaluator(question.seat, chance.getrandbits(32), len(options), question.budget)
    mixture = evaluator.mix(view, options)
    if mixture is not None:
        return name_candidates(question, mixture.draw(chance))
    return _choose_best(question, evaluator)


def _choose_best(question: Question, evaluator: Evaluator) -> Decision:
    """Return the harmless option of the highest value; ties are broken at random."""
    valuations = {option: evaluator.weigh(question.view, option) for option in question.options}
    now = evaluator.weigh_now(question.view)
    sound = _harmless_options(valuations, now.own)
    best = max(sound, key=lambda option: (valuations[option].worth, question.chance.random()))
    return Decision(best, _candidates(valuations, best, now))


def _candidates(valuations: Mapping[str, Valuation], best: str, now: Valuation) -> tuple[Candidate, ...]:
    """Return all options with their figures: the best first, then by value."""
    order = sorted(valuations, key=lambda option: (option != best, -valuations[option].worth))
    return tuple(_compare(option, valuations[option], now) for option in order)


def _compare(option: str, then: Valuation, now: Valuation) -> Candidate:
    """Return the option with what it changes: own money, the rivals' money, and what is in hand."""
    gain = then.money - now.money
    harm = now.rivals - then.rivals
    hand = then.hand - now.hand
    return Candidate(option, gain=round(gain), harm=round(harm), hand=round(hand))


def _harmless_options(valuations: Mapping[str, Valuation], own: float) -> list[str]:
    """Return the options that cost the seat nothing of its own, or all if each changes what it has.

    An option that hurts a rival is left out, too, if it costs the seat something that another option saves.
    """
    if all(valuation.own != own for valuation in valuations.values()):
        return list(valuations)
    return [option for option, valuation in valuations.items() if valuation.own >= own]
