"""What may be answered."""

from __future__ import annotations

from events.agenda import Ask
from rules.editions import EDITIONS
from rules.prompt import Option, Prompt
from rules.state import State


def prompt_of(state: State, ask: Ask) -> Prompt:
    return EDITIONS[state.edition].prompts[ask.prompt]


def choices(state: State, seat: int) -> tuple[str, ...]:
    """Every legal answer of a seat; none when it is not asked."""
    ask = state.ask
    if ask is None or seat not in ask.awaited:
        return ()
    return ask.options or prompt_of(state, ask).choices(state, ask, seat)


def legal(state: State, seat: int) -> tuple[Option, ...]:
    """The same answers, in plain words."""
    ask = state.ask
    if ask is None:
        return ()
    label = prompt_of(state, ask).label
    return tuple(Option(choice, label(state, ask, seat, choice)) for choice in choices(state, seat))
