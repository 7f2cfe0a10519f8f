"""Takes what is worth most now, and never gives up its own for nothing."""

from __future__ import annotations

from collections.abc import Mapping

from workers.bots.evaluator import MOST_TRIALS, Evaluator
from workers.bots.protocol import Candidate, Decision, Question, name_candidates
from workers.bots.valuation import Valuation

# Answers tried in the mind, all options together.
BUILD = "1"
BUDGET = MOST_TRIALS


def decide(question: Question) -> Decision:
    view = question.view
    options = question.options
    chance = question.chance
    if len(options) == 1:
        return name_candidates(question, options[0])
    outlook = Evaluator(question.seat, chance.getrandbits(32), len(options), question.budget)
    mixture = outlook.mix(view, options)
    if mixture is not None:
        return name_candidates(question, mixture.draw(chance))
    return _choose_best(question, outlook)


def _choose_best(question: Question, outlook: Evaluator) -> Decision:
    prospects = {option: outlook.weigh(question.view, option) for option in question.options}
    now = outlook.weigh_now(question.view)
    sound = _harmless_options(prospects, now.own)
    best = max(sound, key=lambda option: (prospects[option].worth, question.chance.random()))
    return Decision(best, _candidates(prospects, best, now))


def _candidates(prospects: Mapping[str, Valuation], best: str, now: Valuation) -> tuple[Candidate, ...]:
    order = sorted(prospects, key=lambda option: (option != best, -prospects[option].worth))
    return tuple(_compare(option, prospects[option], now) for option in order)


def _compare(option: str, then: Valuation, now: Valuation) -> Candidate:
    gain = then.money - now.money
    harm = now.rivals - then.rivals
    hand = then.hand - now.hand
    return Candidate(option, gain=round(gain), harm=round(harm), hand=round(hand))


def _harmless_options(prospects: Mapping[str, Valuation], own: float) -> list[str]:
    """Where one answer leaves the seat what it has, none that costs it something, whoever else it hurts."""
    if all(prospect.own != own for prospect in prospects.values()):
        return list(prospects)
    return [option for option, prospect in prospects.items() if prospect.own >= own]
