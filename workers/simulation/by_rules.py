"""Simulates what no faster simulator claims: tries each option and the replies to it through the rules."""

from __future__ import annotations

from math import exp, sqrt
from statistics import fmean

from rules import EDITIONS, State
from rules.legal import choices, prompt_of
from rules.lookahead import begin_turn, pay_out_now
from rules.scoring import totals
from workers.bots.evaluator import DIE_IN_HAND
from workers.bots.protocol import Candidate, Question
from workers.bots.valuation import SOME_THROWS, SampledChance
from workers.simulation.royale import FirstMove, Leaf

# Answers tried, all options together; playouts of an option; answers of others in a playout.
MOST_TRIALS = 400
MOST_PLAYOUTS = 8
LONGEST_REPLY = 10
# Dollars that make a lead e times as good with one round to come.
TEMPERATURE = 50_000


def claims(question: Question) -> bool:
    """Return whether the question can be decided by figures: nothing is hidden or guessed."""
    view = question.view
    ask = question.view.ask
    if ask is None:
        return False
    prompt = prompt_of(view, ask)
    return not prompt.secret and prompt.guesses is None


def weigh(question: Question) -> tuple[Candidate, ...]:
    """Return each option with its expected money and chance to win."""
    replies = Replies(question.seat, question.chance.getrandbits(32), len(question.options), MOST_TRIALS)
    before = totals(question.view)[question.seat]
    return tuple(replies.weigh_option(question, option, before) for option in question.options)


class Replies(FirstMove):
    """Lets the others answer what is best for them at once, until the seat's next turn or the round's end."""

    def weigh_option(self, question: Question, option: str, before: int) -> Candidate:
        """Return the option with the means over its playouts; `before` is the seat's money now."""
        leaves = self.leaves(question.view, option, SOME_THROWS)
        ends = list[tuple[int, float]]()
        for number in range(max(1, min(question.budget, MOST_PLAYOUTS) // len(leaves))):
            if ends and self.is_exhausted:
                break
            ends += [self._judge(leaf, number) for leaf in leaves]
        often = [leaf.often for leaf in leaves] * (len(ends) // len(leaves))
        money, win = (fmean(part, often) for part in zip(*ends, strict=True))
        return Candidate(option, round(money) - before, round(win, 6))

    def _judge(self, leaf: Leaf, number: int) -> tuple[int, float]:
        """Return what the seat would have after one playout from this leaf, and its chance to win."""
        chance = SampledChance(self._seed + number)
        state = self._reply(leaf.state, chance)
        sums = list(totals(pay_out_now(state, chance)))
        edition = EDITIONS.of(state)
        sums[self._seat] += round(leaf.dollars)
        hopes = [money + DIE_IN_HAND * edition.to_come(state, seat) for seat, money in enumerate(sums)]
        return sums[self._seat], _chance_to_win(hopes, self._seat, edition.rounds - state.round)

    def _reply(self, state: State, chance: SampledChance) -> State:
        """Return the table after the others' answers."""
        for _ in range(LONGEST_REPLY):
            state = begin_turn(state, chance)
            if state.ask is None or self._seat in state.ask.awaited or self.is_exhausted:
                break
            seat = state.ask.awaited[0]
            options = choices(state, seat)
            if not options:
                break
            state = self._try(state, seat, self._best_now(state, seat, options, chance), chance).state
        return state


def _chance_to_win(hopes: list[int], seat: int, rounds: int) -> float:
    """Return the seat's chance to win from what each seat may expect to have, with so many rounds to come."""
    temperature = TEMPERATURE * sqrt(rounds + 1)
    return 1 / sum(exp(min(50, (hope - hopes[seat]) / temperature)) for hope in hopes)
