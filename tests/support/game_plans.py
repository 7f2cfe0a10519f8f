"""Every game that can be agreed on, drawn from what the editions say of themselves."""

from __future__ import annotations

from hypothesis import strategies as st

from events.types import OptionValue
from rules.options import implied_options
from rules.ruleset import OptionSpec, Ruleset
from tests.support.game_loop import Plan

seeds = st.integers(0, 2**32 - 1)


@st.composite
def plans(draw: st.DrawFn, ruleset: Ruleset) -> Plan:
    players = draw(st.integers(*ruleset.seats))
    chosen = {
        spec.name: draw(option_values(spec, players)) for spec in ruleset.options if draw(st.booleans())
    }
    late = draw(st.lists(st.integers(0, players - 1), unique=True))
    return Plan(ruleset.id, fit_options(ruleset, players, chosen), players, tuple(late))


def option_values(spec: OptionSpec, players: int) -> st.SearchStrategy[OptionValue]:
    match spec.kind:
        case "flag":
            return st.booleans()
        case "number":
            return st.integers(spec.least, spec.most)
        case "seat":
            return st.none() | st.integers(0, players - 1)
        case "policy":
            return st.sampled_from(("random", "greedy", "takeover:random", "takeover:greedy"))
        case "codes":
            return st.lists(st.sampled_from(spec.codes), max_size=spec.most, unique=True).map(tuple)


def fit_options(ruleset: Ruleset, players: int, chosen: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Without what this table may not choose; of codes, those that go with the ones before them."""
    fits: dict[str, OptionValue] = {}
    for spec in ruleset.options:
        value = chosen.get(spec.name)
        if isinstance(value, tuple):
            value = compatible_codes(spec, value)
        apart = spec.players and not spec.players[0] <= players <= spec.players[1]
        alone = spec.needs and not chosen.get(spec.needs)
        if spec.name in chosen and not (value and (apart or alone)):
            fits[spec.name] = value
    return without_contradictions(ruleset, fits)


def without_contradictions(ruleset: Ruleset, chosen: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """Without what another option settles."""
    follow = [name for spec in ruleset.options for name in implied_options(spec, chosen.get(spec.name))]
    return {name: value for name, value in chosen.items() if name not in follow}


def compatible_codes(spec: OptionSpec, codes: tuple[str, ...]) -> tuple[str, ...]:
    kept: tuple[str, ...] = ()
    for code in codes:
        beside = any(code in group and set(group) & set(kept) for group in spec.either)
        kept = kept if beside else (*kept, code)
    return kept
