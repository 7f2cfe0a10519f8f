"""Evaluates the options of an ask by trying each and paying the table out."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from events.agenda import Ask
from rules import EDITIONS, State
from rules.chance import Chance
from rules.legal import choices, prompt_of
from rules.lookahead import has_thrown, pay_out_now, seat_asked_within_move, try_answer, what_pays
from rules.scoring import totals
from rules.table import Table
from workers.bots.mixed_strategy import Mixture, StrategyRow, best_mixture
from workers.bots.valuation import SOME_THROWS, THROWS, Memo, SampledChance, Valuation, mean

# Found by play against itself: less and it wastes dice, more and it shuns good casinos.
DIE_IN_HAND = 8_000
# The best rival is the one to beat; where that one is not concerned, the others are.
THE_OTHERS = 0.1
LONGEST_MOVE = 6
# A bet has three options and is weighed to the last throw; among many placements a rough idea will do.
MOST_WEIGHED_EXACTLY = 3
# Answers tried for one choice, all its options together. Each costs about as much as paying out a table.
MOST_TRIALS = 240


class Evaluator:
    """What one seat thinks of its options; tables that differ in nothing that pays are paid out once.

    Every option may try as many answers as the next. When an option has none left, it is judged by
    what is known until then, so that the work has a bound and does not depend on the machine.
    `tried` counts them.
    """

    def __init__(self, seat: int, seed: int, options: int, trials: int = MOST_TRIALS) -> None:
        self._seat = seat
        self._seed = seed
        self._throws = THROWS if options <= MOST_WEIGHED_EXACTLY else SOME_THROWS
        self._trials = self._most = trials // options
        self.tried = 0
        self._paid = Memo[tuple[int, ...]]()
        self._bets = Memo[Valuation]()

    def weigh_now(self, view: State) -> Valuation:
        return self._prospect(view, self._seat, SampledChance(self._seed))

    def begin_option(self) -> None:
        self._most = self.tried + self._trials

    @property
    def is_exhausted(self) -> bool:
        return self.tried >= self._most

    def weigh(self, view: State, choice: str) -> Valuation:
        self.begin_option()
        won = dollars_won(view, choice)
        return self._expect(view, choice) if won is None else self.weigh_now(view).with_dollars(won)

    def mix(self, view: State, options: Sequence[str]) -> Mixture | None:
        """How to mix the options where they hide something, or guess at what is hidden; None elsewhere."""
        ask = view.ask
        chance = SampledChance(self._seed)
        if ask is None or len(ask.seats) > 1:
            return None
        prompt = prompt_of(view, ask)
        if prompt.secret:
            return self._mix_rows([self._row_of_hiding(view, option, chance) for option in options])
        if prompt.guesses is None:
            return None
        tables = [open_guess(view, guess) for guess in prompt.guesses(view, ask)]
        return self._mix_rows([self._row_of_guessing(tables, option, chance) for option in options])

    def _mix_rows(self, rows: Sequence[StrategyRow]) -> Mixture | None:
        return best_mixture(rows) if all(row.replies for row in rows) else None

    def _row_of_hiding(self, view: State, choice: str, chance: Chance) -> StrategyRow:
        """No replies where nobody is asked who does not know."""
        table = self._try(view, self._seat, choice, chance)
        state = table.state
        asked = seat_asked_within_move(table, view.ask)
        if asked is None or asked == self._seat or state.ask is None:
            return StrategyRow(choice, None, ())
        replies = (self._try(state, asked, reply, chance) for reply in choices(state, asked))
        prospects = tuple(self._prospect(reply.state, self._seat, chance) for reply in replies)
        return StrategyRow(choice, replace(state.ask, secret=None), prospects)

    def _row_of_guessing(self, tables: Sequence[State], choice: str, chance: Chance) -> StrategyRow:
        guessed = (self._try(table, self._seat, choice, chance) for table in tables)
        return StrategyRow(
            choice, None, tuple(self._prospect(table.state, self._seat, chance) for table in guessed)
        )

    def _expect(self, view: State, choice: str) -> Valuation:
        """Where two dice are thrown in the move itself, their throws are tried; else one future will do."""
        outcomes = list[Valuation]()
        for throw in self._throws:
            prospect, lucky = self._outcome(view, choice, throw.pair)
            outcomes.append(prospect)
            if not lucky or self.is_exhausted:
                break
        return mean(outcomes, [throw.often for throw in self._throws[: len(outcomes)]])

    def _outcome(self, view: State, choice: str, pair: tuple[int, int]) -> tuple[Valuation, bool]:
        """What the table is worth after the move, and whether a throw had a say in it."""
        chance = SampledChance(self._seed, pair)
        table = self._try(view, self._seat, choice, chance)
        lucky = has_thrown(table.events)
        for _ in range(LONGEST_MOVE):
            state = table.state
            asked = seat_asked_within_move(table, view.ask)
            options = () if asked is None else choices(state, asked)
            if asked is None or self.tried + len(options) > self._most:
                break
            mixture = self.mix(state, options) if asked == self._seat else None
            if mixture is not None:
                return mixture.prospect, lucky
            if asked == self._seat and lucky and len(options) <= MOST_WEIGHED_EXACTLY:
                return self._best_bet(state, options), lucky
            table = self._try(state, asked, self._best_now(state, asked, options, chance), chance)
            lucky = lucky or has_thrown(table.events)
        return self._prospect(table.state, self._seat, chance), lucky

    def _try(self, state: State, seat: int, choice: str, chance: Chance) -> Table:
        self.tried += 1
        return try_answer(state, seat, choice, chance)

    def _best_bet(self, state: State, options: Sequence[str]) -> Valuation:
        """After a throw the seat may stop or try its luck again, and knows the throw when it decides."""
        won = [dollars for option in options if (dollars := dollars_won(state, option)) is not None]
        if won:
            return self.weigh_now(state).with_dollars(max(won))
        return self._bets.find(
            (state.ask, *what_pays(state)), lambda: max(self._expect(state, option) for option in options)
        )

    def _best_now(self, state: State, seat: int, options: Sequence[str], chance: Chance) -> str:
        """How a question inside the move is answered: by what it brings that seat at once, for sure."""
        tried = {option: self._try(state, seat, option, chance) for option in options}
        values = {option: self._for_sure(table, seat, chance) for option, table in tried.items()}
        return max(values, key=values.__getitem__)

    def _for_sure(self, table: Table, seat: int, chance: Chance) -> tuple[bool, float]:
        return not has_thrown(table.events), self._prospect(table.state, seat, chance).worth

    def _prospect(self, state: State, seat: int, chance: Chance) -> Valuation:
        """Money if every casino paid now; a die in hand may still earn some."""
        sums = self._sums(state, chance)
        rivals = [money for other, money in enumerate(sums) if other != seat]
        hand = DIE_IN_HAND * EDITIONS.of(state).to_come(state, seat)
        own = sums[seat] + hand
        theirs = sum(rivals)
        return Valuation(own - max(rivals) - THE_OTHERS * theirs, own, hand, theirs)

    def _sums(self, state: State, chance: Chance) -> tuple[int, ...]:
        return self._paid.find(what_pays(state), lambda: totals(pay_out_now(state, chance)))


def dollars_won(state: State, choice: str) -> float | None:
    """What the choice wins on average, where the rules can tell."""
    ask = state.ask
    odds = None if ask is None else prompt_of(state, ask).odds
    return None if ask is None or odds is None else odds(state, ask, choice)


def open_guess(state: State, guess: str) -> State:
    """The table if this were what lies hidden behind the question."""
    *below, ask = state.agenda
    if not isinstance(ask, Ask) or ask.secret is None:
        raise ValueError("nothing is hidden behind the question")
    return replace(state, agenda=(*below, replace(ask, secret=replace(ask.secret, value=guess))))
