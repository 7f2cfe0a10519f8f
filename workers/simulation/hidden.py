"""Simulates questions about something hidden: meets each option with all replies or hidden values.

Each of them counts as often as a wise rival would choose it. The figures are only shown; no bot chooses by
them, because its choice could be guessed then.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from events.agenda import Ask
from rules import EDITIONS, State
from rules.legal import choices, prompt_of
from rules.lookahead import seat_asked_within_move
from rules.scoring import totals
from workers.bots.evaluator import Evaluator, open_guess
from workers.bots.mixed_strategy import mix
from workers.bots.protocol import Candidate, Question
from workers.bots.valuation import SampledChance
from workers.simulation import royale
from workers.simulation.royale import Leaf, read_table
from workers.simulation.winning import THOUSAND, chance_to_win, list_candidates

# Weights are whole numbers of this part.
PARTS = 1_000


class Meetings(Struct, frozen=True):
    """Holds what the other side sees of an option, and the table after each reply or hidden value."""

    seen: Ask | None
    tables: tuple[State, ...]


def claims(question: Question) -> bool:
    """Return whether the question hides something or guesses at something hidden, in Royale."""
    view = question.view
    ask = question.view.ask
    if view.edition != "royale" or view.release not in royale.RELEASES or ask is None:
        return False
    prompt = prompt_of(view, ask)
    return prompt.secret or prompt.guesses is not None


def weigh(question: Question) -> tuple[Candidate, ...]:
    """Return each option with its expected money and chance to win."""
    view = question.view
    seat = question.seat
    playouts = min(question.budget, royale.MOST_LANES)
    tables = []
    for leaves in HiddenChoice(seat, question.chance.getrandbits(32), len(question.options)).leaves(question):
        read = [read_table(leaf, seat) for leaf in leaves]
        tables += [read[number] for number in royale.share_playouts(leaves, playouts)]
    sums, counts = royale.play_out(tables, playouts, question.chance)
    rounds = EDITIONS.of(view).rounds - view.round
    win = chance_to_win(sums, counts, seat, rounds, royale.TEMPERATURES)
    return list_candidates(question, sums[:, seat] - totals(view)[seat] // THOUSAND, win)


class HiddenChoice(Evaluator):
    """Tries the options of a hidden choice or a guess against everything that may meet them."""

    def leaves(self, question: Question) -> list[list[Leaf]]:
        """Return for each option the tables to which it may lead, and how often."""
        met = [self._meet(question.view, option) for option in question.options]
        return [
            [Leaf(table, often, 0.0) for table, often in zip(one.tables, self._often(one, met), strict=True)]
            for one in met
        ]

    def _meet(self, view: State, option: str) -> Meetings:
        """Return the tables after the option, one for each value that may be hidden, or for each reply."""
        chance = SampledChance(self._seed)
        ask = view.ask
        prompt = None if ask is None else prompt_of(view, ask)
        if ask is not None and prompt is not None and prompt.guesses is not None:
            opened = (open_guess(view, guess) for guess in prompt.guesses(view, ask))
            return Meetings(
                None, tuple(self._try(table, self._seat, option, chance).state for table in opened)
            )
        return self._meet_replies(view, option, chance)

    def _meet_replies(self, view: State, option: str, chance: SampledChance) -> Meetings:
        """Return the tables after the option and each reply of the seat that is asked then."""
        table = self._try(view, self._seat, option, chance)
        state = table.state
        asked = seat_asked_within_move(table, view.ask)
        if asked is None or state.ask is None:
            return Meetings(None, (state,))
        replies = (self._try(state, asked, reply, chance) for reply in choices(state, asked))
        return Meetings(replace(state.ask, secret=None), tuple(reply.state for reply in replies))

    def _often(self, one: Meetings, met: Sequence[Meetings]) -> list[int]:
        """Return how often the other side chooses each reply, in thousandths.

        It knows which options look like this one, and not which of them was chosen.
        """
        alike = [other for other in met if other.seen == one.seen]
        worths = [[self._worth(table) for table in other.tables] for other in alike]
        least = min(map(min, worths))
        theirs = tuple(zip(*([round(least - worth) for worth in row] for row in worths), strict=True))
        return [max(1, round(PARTS * weight)) for weight in mix(theirs)]

    def _worth(self, state: State) -> float:
        """Return what the table is worth to the seat if every casino paid now."""
        return self._value_table(state, self._seat, SampledChance(self._seed)).worth
