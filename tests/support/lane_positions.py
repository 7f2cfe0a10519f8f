"""Moments of random games that the lanes claim, and dice that fall as lanes had them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from rules.chance import Below
from rules.legal import choices
from rules.ruleset import Options
from rules.state import State, view
from tests.support.bots import RANDOM, states_of_game
from workers.bots.protocol import Question
from workers.bots.valuation import SampledChance

Table = tuple[str, Options, int]
NEUTRAL: Options = {"neutral_dice": True}
CHIPS: Options = {"chip_cards": True}
BANDIT: Options = {"bandit": True}

CLAIMED: tuple[Table, ...] = (
    *(("classic", {}, players) for players in (2, 3, 4, 5)),
    *(("classic", NEUTRAL, players) for players in (2, 3, 4)),
    *(("classic", CHIPS, players) for players in (2, 5)),
    ("classic", {**CHIPS, **NEUTRAL}, 4),
    *(("modern", {}, players) for players in (2, 3, 4, 5, 6)),
    *(("modern", NEUTRAL, players) for players in (2, 3, 4)),
    *(("modern", BANDIT, players) for players in (5, 6)),
)


def ask_at(state: State, seed: int, budget: int = 1) -> Question:
    assert state.ask is not None
    seat = state.ask.awaited[0]
    return Question(view(state, seat), seat, choices(state, seat), budget, Random(seed))


@st.composite
def moments(draw: st.DrawFn) -> State:
    """Somebody is asked, somewhere in a game that was played at random."""
    edition, options, players = draw(st.sampled_from(CLAIMED))
    seed, part = draw(st.integers(0, 10_000)), draw(st.floats(0, 0.999))
    states = [state for state in states_of_game(edition, options, [RANDOM] * players, seed) if state.ask]
    return states[int(part * len(states))]


class GivenDice(SampledChance):
    """Dice as they come; when there are no more, any."""

    def __init__(self, throws: Iterator[tuple[int, ...]]) -> None:
        super().__init__(0)
        self._throws = throws

    def dice(self, number: int, count: int) -> tuple[int, ...]:
        return next(self._throws, None) or super().dice(number, count)

    def draw(self, number: int) -> Below:
        return lambda bound: 0
