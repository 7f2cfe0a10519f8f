"""Where an option leads by the rules themselves until its move is over, and how likely each table is."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rules.legal import choices
from rules.lookahead import has_thrown, seat_asked_within_move
from rules.state import State
from workers.bots.outlook import LONGEST_MOVE, Outlook, dollars_won
from workers.bots.sampled_chance import SampledChance, Throw


class Leaf(Struct, frozen=True):
    """`dollars` more than lies on the table are what the seat may expect of a bet or a fist."""

    state: State
    often: int
    dollars: float


class FirstMove(Outlook):
    """Questions inside the move are answered as the greedy level would; bets and fists are not played out."""

    def leaves(self, view: State, choice: str, throws: Sequence[Throw]) -> list[Leaf]:
        """One, or one for each of the throws where black dice have a say in the move."""
        found = list[Leaf]()
        self.begin_option()
        for throw in throws:
            leaf, lucky = self._follow(view, choice, throw)
            found.append(leaf)
            if not lucky or self.is_exhausted:
                break
        return found

    def _follow(self, view: State, choice: str, throw: Throw) -> tuple[Leaf, bool]:
        chance = SampledChance(self._seed, throw.pair)
        table = self._try(view, self._seat, choice, chance)
        lucky = has_thrown(table.events)
        for _ in range(LONGEST_MOVE):
            state, asked = table.state, seat_asked_within_move(table, view.ask)
            options = () if asked is None else choices(state, asked)
            if asked is None or self.tried + len(options) > self._most:
                break
            dollars = self._expected_dollars(state, options) if asked == self._seat else None
            if dollars is not None:
                return Leaf(state, throw.often, dollars), lucky
            table = self._try(state, asked, self._best_now(state, asked, options, chance), chance)
            lucky = lucky or has_thrown(table.events)
        return Leaf(table.state, throw.often, 0), lucky

    def _expected_dollars(self, state: State, options: Sequence[str]) -> float | None:
        """Of a question that is about money and luck, or about what is hidden."""
        won = [dollars for option in options if (dollars := dollars_won(state, option)) is not None]
        if won:
            return max(won)
        mixture = self.mix(state, options)
        return None if mixture is None else mixture.prospect.own - self.weigh_now(state).own
