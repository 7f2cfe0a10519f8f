"""What an answer would lead to, as far as a seat can see."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from events.agenda import Step
from events.secrecy import Sealed
from events.types import Chosen, DiceRolled, Event, GameEnded, RoundStarted, TurnStarted
from rules.chance import Chance
from rules.editions import EDITIONS
from rules.state import State
from rules.table import Table

PAYOUT = Step("payout")
ROUND_END = "round.end"
_BEGINNINGS = (TurnStarted, RoundStarted, GameEnded)

# What a view hides cannot be opened: there the look ahead ends, with what has happened until then.
AS_FAR_AS_SEEN = suppress(Sealed)


def foreseen(view: State, seat: int, choice: str, chance: Chance) -> Table:
    """The table after an answer to the open ask, as if nobody else were asked."""
    ask = view.ask
    if ask is None:
        raise ValueError("nothing is asked")
    ruleset = EDITIONS.of(view)
    table, prompt = Table(view, ruleset, chance), ruleset.prompts[ask.prompt]
    if prompt.secret:
        number, sealed = table.seal(choice, seat)
        table.record(Chosen(ask.id, seat, sealed, number))
    table.agenda.pop()
    with AS_FAR_AS_SEEN:
        prompt.answered(table, ask, {seat: choice})
        table.run()
    return table


def paid_out(state: State, chance: Chance) -> State:
    """The state if the round ended now and every casino paid, tiles and bandit included."""
    table = Table(state, EDITIONS.of(state), chance)
    table.agenda = list(remaining(state) or (PAYOUT,))
    with AS_FAR_AS_SEEN:
        _pay(table)
    return table.state


def remaining(state: State) -> tuple[Step, ...]:
    """What is left of a payout that has begun."""
    steps = tuple(item for item in state.agenda if isinstance(item, Step))
    return steps if any(step.name == ROUND_END for step in steps) else ()


def _pay(table: Table) -> None:
    """Questions of the payout are passed over: nobody is there to answer them."""
    while table.agenda:
        item = table.agenda.pop()
        if isinstance(item, Step):
            if item.name == ROUND_END:
                return
            table.ruleset.steps[item.name](table, item)


def move(events: Sequence[Event]) -> Sequence[Event]:
    """The events of the move itself, before the next turn or round begins."""
    for count, event in enumerate(events):
        if isinstance(event, _BEGINNINGS) or (isinstance(event, DiceRolled) and event.seat is not None):
            return events[:count]
    return events


def thrown(events: Sequence[Event]) -> bool:
    """Whether dice of nobody in particular decided part of the move."""
    return any(isinstance(event, DiceRolled) for event in move(events))
