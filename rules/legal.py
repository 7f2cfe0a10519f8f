"""The legal answers to the open question."""

from __future__ import annotations

from msgspec import UNSET

from events.agenda import Ask
from rules.editions import EDITIONS
from rules.lookahead import standing_after
from rules.prompt import Option, Prompt, make_option
from rules.releases import Editions
from rules.ruleset import Ruleset
from rules.state import State


def prompt_of(state: State, ask: Ask, editions: Editions = EDITIONS) -> Prompt:
    """The prompt behind a question. Raises UnknownRules."""
    return editions.of(state).prompts[ask.prompt]


def choices(state: State, seat: int, editions: Editions = EDITIONS) -> tuple[str, ...]:
    """Every legal answer of a seat; none when it is not asked."""
    ask = state.ask
    if ask is None or seat not in ask.awaited:
        return ()
    return ask.options or prompt_of(state, ask, editions).choices(state, ask, seat)


def legal(state: State, seat: int, editions: Editions = EDITIONS) -> tuple[Option, ...]:
    """Every legal answer of a seat, with a label and the things on the table that it concerns."""
    ask = state.ask
    if ask is None:
        return ()
    ruleset = editions.of(state)
    found = choices(state, seat, editions)
    return tuple(_offer(ruleset, state, ask, seat, choice) for choice in found)


def _offer(ruleset: Ruleset, state: State, ask: Ask, seat: int, choice: str) -> Option:
    """One answer, with the standing at the casino that it alone changes."""
    prompt = ruleset.prompts[ask.prompt]
    details = prompt.details(state, ask, seat, choice)
    casino = details.changed_casino
    standing = (
        UNSET
        if casino is None
        else standing_after(state, ruleset, ask, seat=seat, choice=choice, casino=casino)
    )
    return make_option(choice, prompt.label(state, ask, seat, choice), details, standing)


def describe_choice(prompt: Prompt, state: State, ask: Ask, seat: int, choice: str) -> Option:
    details = prompt.details(state, ask, seat, choice)
    return make_option(choice, prompt.label(state, ask, seat, choice), details)
