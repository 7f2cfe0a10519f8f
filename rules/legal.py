"""The legal answers to the open question."""

from __future__ import annotations

from msgspec import UNSET

from events.agenda import Ask
from rules.editions import EDITIONS
from rules.lookahead import look_ahead
from rules.paths import add_paths
from rules.prompt import Option, Preview, Prompt, Standings, make_option
from rules.releases import Editions
from rules.ruleset import Ruleset
from rules.state import State, view


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
    """Every legal answer of a seat, with a label, what it concerns, and a path where there are many."""
    ask = state.ask
    if ask is None:
        return ()
    ruleset = editions.of(state)
    found = choices(state, seat, editions)
    # What a tile would do is previewed from what the seat knows, also where all is known here.
    seen = view(state, seat) if state.tiles else state
    asked = seen.ask or ask
    options = tuple(_offer(ruleset, seen, asked, seat, choice) for choice in found)
    return add_paths(ruleset, seen, asked, seat, options)


def _offer(ruleset: Ruleset, state: State, ask: Ask, seat: int, choice: str) -> Option:
    """One answer, with the standing at the casino that it alone changes, and what its tile would do."""
    prompt = ruleset.prompts[ask.prompt]
    details = prompt.details(state, ask, seat, choice)
    casino = details.changed_casino
    standing: Standings = UNSET
    preview: Preview = UNSET
    if casino is not None or state.tiles:
        standing, preview = look_ahead(state, ruleset, ask, seat=seat, choice=choice, casino=casino)
    return make_option(choice, prompt.label(state, ask, seat, choice), details, standing, preview)


def describe_choice(prompt: Prompt, state: State, ask: Ask, seat: int, choice: str) -> Option:
    details = prompt.details(state, ask, seat, choice)
    return make_option(choice, prompt.label(state, ask, seat, choice), details)
