"""What a seat may expect of its options: each is tried in the mind and the table paid out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import mul
from typing import Any, Generic, NamedTuple, TypeVar

from events.agenda import Ask
from rules.chance import Chance
from rules.editions import EDITIONS
from rules.legal import choices
from rules.lookahead import has_thrown, pay_out_now, seat_asked_within_move, try_answer, what_pays
from rules.scoring import totals
from rules.state import State
from rules.table import Table
from workers.bots.sampled_chance import SOME_THROWS, THROWS, SampledChance

# Found by play against itself: less and it wastes dice, more and it shuns good casinos.
DIE_IN_HAND = 8_000
# The best rival is the one to beat; where that one is not concerned, the others are.
THE_OTHERS = 0.1
LONGEST_MOVE = 6
# A bet has three options and is weighed to the last throw; among many placements a rough idea will do.
MOST_WEIGHED_EXACTLY = 3

Found = TypeVar("Found")


class Prospect(NamedTuple):
    """What a table is worth to a seat against its rivals, and what is its own in it."""

    worth: float
    own: float


class Known(Generic[Found]):
    """What was worked out before, by tables: they cannot be hashed, but mostly share their parts."""

    def __init__(self) -> None:
        self._entries: list[tuple[tuple[Any, ...], Found]] = []

    def find(self, table: tuple[Any, ...], work: Callable[[], Found]) -> Found:
        for known, found in self._entries:
            if known == table:
                return found
        found = work()
        self._entries.append((table, found))
        return found


class Outlook:
    """What one seat thinks of its options; tables that differ in nothing that pays are paid out once."""

    def __init__(self, seat: int, seed: int, exact: bool) -> None:
        self._seat, self._seed = seat, seed
        self._throws = THROWS if exact else SOME_THROWS
        self._paid, self._bets = Known[tuple[int, ...]](), Known[Prospect]()

    def weigh_now(self, view: State) -> Prospect:
        return self._prospect(view, self._seat, SampledChance(self._seed))

    def weigh(self, view: State, choice: str) -> Prospect:
        """Where two dice are thrown in the move itself, their throws are tried; else one future will do."""
        first, *others = self._throws
        prospect, lucky = self._outcome(view, choice, first.pair)
        if not lucky:
            return prospect
        outcomes = [prospect, *(self._outcome(view, choice, throw.pair)[0] for throw in others)]
        return _mean(outcomes, [throw.often for throw in self._throws])

    def _outcome(self, view: State, choice: str, pair: tuple[int, int]) -> tuple[Prospect, bool]:
        """What the table is worth after the move, and whether a throw had a say in it."""
        chance = SampledChance(self._seed, pair)
        table = try_answer(view, self._seat, choice, chance)
        lucky = has_thrown(table.events)
        for _ in range(LONGEST_MOVE):
            asked = seat_asked_within_move(table, view.ask)
            if asked is None:
                break
            if lucky and asked == self._seat and _few(table.state.ask):
                return self._best_bet(table.state), lucky
            table = try_answer(table.state, asked, self._best_now(table.state, asked, chance), chance)
            lucky = lucky or has_thrown(table.events)
        return self._prospect(table.state, self._seat, chance), lucky

    def _best_bet(self, state: State) -> Prospect:
        """After a throw the seat may stop or try its luck again, and knows the throw when it decides."""

        def best() -> Prospect:
            return max(self.weigh(state, option) for option in choices(state, self._seat))

        return self._bets.find((state.ask, *what_pays(state)), best)

    def _best_now(self, state: State, seat: int, chance: Chance) -> str:
        """How a question inside the move is answered: by what it brings that seat at once, for sure."""
        values = {
            option: self._for_sure(try_answer(state, seat, option, chance), seat, chance)
            for option in choices(state, seat)
        }
        return max(values, key=values.__getitem__)

    def _for_sure(self, table: Table, seat: int, chance: Chance) -> tuple[bool, float]:
        return not has_thrown(table.events), self._prospect(table.state, seat, chance).worth

    def _prospect(self, state: State, seat: int, chance: Chance) -> Prospect:
        """Money if every casino paid now; a die in hand may still earn some."""
        sums = self._sums(state, chance)
        rivals = [money for other, money in enumerate(sums) if other != seat]
        own = sums[seat] + DIE_IN_HAND * EDITIONS.of(state).to_come(state, seat)
        return Prospect(own - max(rivals) - THE_OTHERS * sum(rivals), own)

    def _sums(self, state: State, chance: Chance) -> tuple[int, ...]:
        return self._paid.find(what_pays(state), lambda: totals(pay_out_now(state, chance)))


def _mean(prospects: Sequence[Prospect], weights: Sequence[int]) -> Prospect:
    whole = sum(weights)
    worth, own = (sum(map(mul, part, weights)) / whole for part in zip(*prospects, strict=True))
    return Prospect(worth, own)


def _few(ask: Ask | None) -> bool:
    return ask is not None and len(ask.options) <= MOST_WEIGHED_EXACTLY
