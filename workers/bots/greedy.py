"""Takes what is worth most now: each answer is tried in the mind and the table paid out."""

from __future__ import annotations

from random import Random
from typing import Any

from events.agenda import Ask
from events.values import CASINO_NUMBERS
from rules.chance import Chance
from rules.legal import choices
from rules.scoring import totals
from rules.state import State
from rules.table import Table
from workers.bots.foresight import foreseen, move, paid_out, remaining, thrown
from workers.bots.sampled_chance import SOME_THROWS, THROWS, SampledChance

# Found by play against itself: less and it wastes dice, more and it shuns good casinos.
DIE_IN_HAND = 8_000
# The best rival is the one to beat; where that one is not concerned, the others are.
THE_OTHERS = 0.1
LONGEST_MOVE = 6
# A bet has three options and is weighed to the last throw; among many placements a rough idea will do.
MOST_WEIGHED_EXACTLY = 3


def choose(view: State, seat: int, rng: Random) -> str:
    options = choices(view, seat)
    if len(options) == 1:
        return options[0]
    outlook = Outlook(seat, rng.getrandbits(32), exact=len(options) <= MOST_WEIGHED_EXACTLY)
    values = [(outlook.expected(view, option), rng.random()) for option in options]
    return options[values.index(max(values))]


class Outlook:
    """What one seat thinks of its options; tables that differ in nothing that pays are paid out once."""

    def __init__(self, seat: int, seed: int, exact: bool) -> None:
        self._seat, self._seed = seat, seed
        self._throws = THROWS if exact else SOME_THROWS
        self._paid: list[tuple[tuple[Any, ...], tuple[int, ...]]] = []

    def expected(self, view: State, choice: str) -> float:
        """Where two dice are thrown in the move itself, their throws are tried; else one future will do."""
        first, *others = self._throws
        value, lucky = self._outcome(view, choice, first.pair)
        if not lucky:
            return value
        weighed = value * first.often
        weighed += sum(self._outcome(view, choice, throw.pair)[0] * throw.often for throw in others)
        return weighed / sum(throw.often for throw in self._throws)

    def _outcome(self, view: State, choice: str, pair: tuple[int, int]) -> tuple[float, bool]:
        """What the table is worth after the move, and whether a throw had a say in it."""
        chance = SampledChance(self._seed, pair)
        table = foreseen(view, self._seat, choice, chance)
        lucky = thrown(table.events)
        for _ in range(LONGEST_MOVE):
            asked = _asked_within(table, view.ask)
            if asked is None:
                break
            table = foreseen(table.state, asked, self._best_now(table.state, asked, chance), chance)
            lucky = lucky or thrown(table.events)
        return self._worth(table.state, self._seat, chance), lucky

    def _best_now(self, state: State, seat: int, chance: Chance) -> str:
        """How a question inside the move is answered: by what it brings that seat at once, for sure."""
        values = {
            option: self._for_sure(foreseen(state, seat, option, chance), seat, chance)
            for option in choices(state, seat)
        }
        return max(values, key=values.__getitem__)

    def _for_sure(self, table: Table, seat: int, chance: Chance) -> tuple[bool, float]:
        return not thrown(table.events), self._worth(table.state, seat, chance)

    def _worth(self, state: State, seat: int, chance: Chance) -> float:
        """Money if every casino paid now, against the rivals; a die in hand may still earn some."""
        sums = self._sums(state, chance)
        rivals = [money for other, money in enumerate(sums) if other != seat]
        lead = sums[seat] - max(rivals) - THE_OTHERS * sum(rivals)
        return lead + DIE_IN_HAND * _to_come(state, seat)

    def _sums(self, state: State, chance: Chance) -> tuple[int, ...]:
        pays = (state.dice, state.notes, state.chips, state.tokens, state.counters)
        table = (*pays, state.chip_cards, remaining(state))
        for known, sums in self._paid:
            if known == table:
                return sums
        sums = totals(paid_out(state, chance))
        self._paid.append((table, sums))
        return sums


def _to_come(state: State, seat: int) -> int:
    """Dice in hand; from a deck so many cards may be laid a round, and each that lies is one less."""
    if not state.decks:
        return state.supply_of(seat).weight
    return -sum(state.own_dice(seat, number).weight for number in CASINO_NUMBERS)


def _asked_within(table: Table, first: Ask | None) -> int | None:
    """The seat that is asked before the move is over, if any."""
    ask = table.state.ask
    over = len(move(table.events)) < len(table.events)
    return None if ask is None or ask == first or over else ask.awaited[0]
