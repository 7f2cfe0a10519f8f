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

# Dollars. Found by self-play: with less the bot wastes dice, with more it avoids good casinos.
DIE_IN_HAND = 8_000
# The best rival counts in full and the sum of all rivals this much, so that hurting another one counts, too.
THE_OTHERS = 0.1
# Questions that are followed inside one move.
LONGEST_MOVE = 6
# With so few options, as in a bet, every throw is tried; with more, a sample of throws is good enough.
MOST_WEIGHED_EXACTLY = 3
# Answers tried for one choice, all its options together. Each costs about as much as paying out a table.
MOST_TRIALS = 240


class Evaluator:
    """Evaluates the options of one seat by trying them through the rules and paying the table out.

    Each option may try the same number of answers; `tried` counts them all. An option that has used up its
    share is judged by what was found until then. So the work is limited, and does not depend on the speed of
    the machine. Tables that do not differ in anything that pays are paid out only once.
    """

    def __init__(self, seat: int, seed: int, options: int, trials: int = MOST_TRIALS) -> None:
        self._seat = seat
        self._seed = seed
        self._throws = THROWS if options <= MOST_WEIGHED_EXACTLY else SOME_THROWS
        self._trials = trials // options
        self._most = self._trials
        self.tried = 0
        self._paid = Memo[tuple[int, ...]]()
        self._bets = Memo[Valuation]()

    def weigh_now(self, view: State) -> Valuation:
        """Return what the table is worth to the seat as it is."""
        return self._value_table(view, self._seat, SampledChance(self._seed))

    def begin_option(self) -> None:
        """Give the next option its share of trials."""
        self._most = self.tried + self._trials

    @property
    def is_exhausted(self) -> bool:
        """Return whether the current option has used up its trials."""
        return self.tried >= self._most

    def weigh(self, view: State, choice: str) -> Valuation:
        """Return what the table is expected to be worth to the seat after this choice."""
        self.begin_option()
        won = dollars_won(view, choice)
        return self._expect(view, choice) if won is None else self.weigh_now(view).with_dollars(won)

    def mix(self, view: State, options: Sequence[str]) -> Mixture | None:
        """Return a mixed strategy if the options hide something or guess at something hidden; else None."""
        ask = view.ask
        chance = SampledChance(self._seed)
        if ask is None or len(ask.seats) > 1:
            return None
        prompt = prompt_of(view, ask)
        if prompt.secret:
            return self._mix_rows([self._hiding_row(view, option, chance) for option in options])
        if prompt.guesses is None:
            return None
        tables = [open_guess(view, guess) for guess in prompt.guesses(view, ask)]
        return self._mix_rows([self._guessing_row(tables, option, chance) for option in options])

    def _mix_rows(self, rows: Sequence[StrategyRow]) -> Mixture | None:
        """Return the best mixture; None if some option has no replies to be met with."""
        return best_mixture(rows) if all(row.replies for row in rows) else None

    def _hiding_row(self, view: State, choice: str, chance: Chance) -> StrategyRow:
        """Return a hiding choice with the value of each reply of the seat that is asked to guess.

        The row has no replies if no other seat is asked within the move.
        """
        table = self._try(view, self._seat, choice, chance)
        state = table.state
        asked = seat_asked_within_move(table, view.ask)
        if asked is None or asked == self._seat or state.ask is None:
            return StrategyRow(choice, None, ())
        replies = (self._try(state, asked, reply, chance) for reply in choices(state, asked))
        valuations = tuple(self._value_table(reply.state, self._seat, chance) for reply in replies)
        return StrategyRow(choice, replace(state.ask, secret=None), valuations)

    def _guessing_row(self, tables: Sequence[State], choice: str, chance: Chance) -> StrategyRow:
        """Return a guess with its value for each thing that may be hidden; one table for each."""
        guessed = (self._try(table, self._seat, choice, chance) for table in tables)
        return StrategyRow(
            choice, None, tuple(self._value_table(table.state, self._seat, chance) for table in guessed)
        )

    def _expect(self, view: State, choice: str) -> Valuation:
        """Return the mean value over throws of two dice if the move throws them; else that of one future."""
        outcomes = list[Valuation]()
        for throw in self._throws:
            valuation, lucky = self._outcome(view, choice, throw.pair)
            outcomes.append(valuation)
            if not lucky or self.is_exhausted:
                break
        return mean(outcomes, [throw.often for throw in self._throws[: len(outcomes)]])

    def _outcome(self, view: State, choice: str, pair: tuple[int, int]) -> tuple[Valuation, bool]:
        """Return the value of the table after the move, and whether a throw of dice decided any of it.

        Questions inside the move are answered until it ends, at most LONGEST_MOVE times.
        """
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
                return mixture.valuation, lucky
            if asked == self._seat and lucky and len(options) <= MOST_WEIGHED_EXACTLY:
                return self._best_bet(state, options), lucky
            table = self._try(state, asked, self._best_now(state, asked, options, chance), chance)
            lucky = lucky or has_thrown(table.events)
        return self._value_table(table.state, self._seat, chance), lucky

    def _try(self, state: State, seat: int, choice: str, chance: Chance) -> Table:
        """Return the table after this answer, and count the trial."""
        self.tried += 1
        return try_answer(state, seat, choice, chance)

    def _best_bet(self, state: State, options: Sequence[str]) -> Valuation:
        """Return the value of the best option after a throw, when the seat may stop or throw again."""
        won = [dollars for option in options if (dollars := dollars_won(state, option)) is not None]
        if won:
            return self.weigh_now(state).with_dollars(max(won))
        return self._bets.find(
            (state.ask, *what_pays(state)), lambda: max(self._expect(state, option) for option in options)
        )

    def _best_now(self, state: State, seat: int, options: Sequence[str], chance: Chance) -> str:
        """Return the answer to a question inside the move that brings that seat most at once."""
        tried = {option: self._try(state, seat, option, chance) for option in options}
        values = {option: self._sure_worth(table, seat, chance) for option, table in tried.items()}
        return max(values, key=values.__getitem__)

    def _sure_worth(self, table: Table, seat: int, chance: Chance) -> tuple[bool, float]:
        """Return a key to compare answers by: certain ones before those that throw dice, then by worth."""
        return not has_thrown(table.events), self._value_table(table.state, seat, chance).worth

    def _value_table(self, state: State, seat: int, chance: Chance) -> Valuation:
        """Return what the table is worth to the seat if every casino paid now; dice in hand have a price."""
        sums = self._sums(state, chance)
        rivals = [money for other, money in enumerate(sums) if other != seat]
        hand = DIE_IN_HAND * EDITIONS.of(state).to_come(state, seat)
        own = sums[seat] + hand
        theirs = sum(rivals)
        return Valuation(own - max(rivals) - THE_OTHERS * theirs, own, hand, theirs)

    def _sums(self, state: State, chance: Chance) -> tuple[int, ...]:
        """Return each seat's total after a payout of the table now; computed once for equal tables."""
        return self._paid.find(what_pays(state), lambda: totals(pay_out_now(state, chance)))


def dollars_won(state: State, choice: str) -> float | None:
    """Return what the choice wins on average, or None if the rules do not give odds for it."""
    ask = state.ask
    odds = None if ask is None else prompt_of(state, ask).odds
    return None if ask is None or odds is None else odds(state, ask, choice)


def open_guess(state: State, guess: str) -> State:
    """Return the table as if this value were hidden behind the question.

    Raises ValueError if nothing is hidden.
    """
    *below, ask = state.agenda
    if not isinstance(ask, Ask) or ask.secret is None:
        raise ValueError("nothing is hidden behind the question")
    return replace(state, agenda=(*below, replace(ask, secret=replace(ask.secret, value=guess))))
