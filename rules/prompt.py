"""A question: what may be answered, in which words, and what an answer does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from events.agenda import Ask, Item, Step
from rules.about import NOTHING_THERE, About, at_tile
from rules.choice import verb_of

if TYPE_CHECKING:
    from rules.state import State
    from rules.table import Table

StepWork = Callable[["Table", Step], None]
Choices = Callable[["State", Ask, int], tuple[str, ...]]
Label = Callable[["State", Ask, int, str], str]
Answered = Callable[["Table", Ask, Mapping[int, str]], None]
Odds = Callable[["State", Ask, str], float]
Guesses = Callable[["State", Ask], tuple[str, ...]]
Abouts = Callable[["State", Ask, int, str], About]
Recall = Callable[["State", "Asked"], tuple[int | str, ...]]
Below = Callable[["State", "Asked"], tuple[Item, ...]]


class Asked(Struct, frozen=True):
    """A question as it is described: whom it asks, about which casino, and what the tile that asks shows."""

    seat: int
    number: int | None
    shown: Mapping[str, Any]


def about_asking_tile(state: State, ask: Ask, seat: int, choice: str) -> About:
    return at_tile(ask.tile) if ask.tile else NOTHING_THERE


class Prompt(Struct, frozen=True):
    """`rule` is the ruling or the place in a book that the options rest on; `text` is the question.

    `verbs` are first words of choices that rest on a rule of their own. `secret` answers stay sealed
    for their seat until something reveals them. Where the options themselves would tell what a seat
    holds, they are `private`: not on the agenda, but worked out again for the seat that asks.
    Where money and luck alone are at stake, `odds` are the dollars that a choice wins on average if all
    that follow are the best; where the question is about a sealed answer, `guesses` are what that may be.
    `about` says what on the table a choice is about: if nothing else, the tile that asks.
    Read back from a table that is described, a question came with the data that `recall` gives, which raises
    Unfit where that is not told, and `below` it on the agenda is the next turn or what this says. One
    that is `for_others` asks somebody else than whose turn it is.
    """

    choices: Choices
    label: Label
    answered: Answered
    rule: str
    text: str
    secret: bool = False
    private: bool = False
    verbs: Mapping[str, str] = {}
    odds: Odds | None = None
    guesses: Guesses | None = None
    about: Abouts = about_asking_tile
    recall: Recall | None = None
    below: Below | None = None
    for_others: bool = False

    def rule_of(self, choice: str) -> str:
        """What speaks for or against a choice."""
        return self.verbs.get(verb_of(choice)) or self.rule
