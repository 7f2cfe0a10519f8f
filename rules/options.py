"""Options of a game, checked against its edition."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from events.text import Joined, Text
from events.types import OptionValue
from rules.errors import Reason, Rejected
from rules.ruleset import Options, OptionSpec, Ruleset
from rules.wording import did_you_mean

MOST_TURN_SECONDS = 86_400
MOST_TOTAL_SECONDS = 30 * MOST_TURN_SECONDS
_POLICY = re.compile(r"(?:takeover:)?[a-z][a-z0-9_-]{0,31}")


START_SEAT = OptionSpec(
    "start_seat", "seat", "The seat that starts the first round; drawn by chance when left out.", rule="P2"
)
ON_TIMEOUT = OptionSpec(
    "on_timeout",
    "policy",
    "Who answers for a person whose time is over: a bot, this once, or with `takeover:` before its name "
    "until the person answers again.",
    default="random",
    rule="W9",
    added=True,
)
TURN_SECONDS = OptionSpec(
    "turn_seconds",
    "number",
    "Seconds a person may take for an answer before the service answers instead; 0 for no limit.",
    default=0,
    most=MOST_TURN_SECONDS,
    rule="W1",
)
TOTAL_SECONDS = OptionSpec(
    "total_seconds",
    "number",
    "Seconds a person may take for all answers of the game together; 0 for no limit.",
    default=0,
    most=MOST_TOTAL_SECONDS,
    rule="W10",
    added=True,
)
INCREMENT_SECONDS = OptionSpec(
    "increment_seconds",
    "number",
    "Seconds that every answer adds to what is left of `total_seconds`.",
    default=0,
    most=MOST_TURN_SECONDS,
    needs="total_seconds",
    rule="W10",
    added=True,
)
ADVICE = OptionSpec(
    "advice",
    "flag",
    "Whether people may ask bots for advice while they play.",
    default=True,
    rule="W11",
    added=True,
)
COMMON = (
    START_SEAT,
    OptionSpec(
        "hide_money",
        "flag",
        "Cover what the others have won at the table until the game is over; payouts stay public in the log.",
        default=False,
        rule="M8",
    ),
    TURN_SECONDS,
    ON_TIMEOUT,
    TOTAL_SECONDS,
    INCREMENT_SECONDS,
    ADVICE,
)


def complete_options(ruleset: Ruleset, players: int, given: Options) -> dict[str, OptionValue]:
    """Return every option with its value. Raises Rejected for the first that does not fit."""
    for fault in find_option_faults(ruleset, players, given):
        raise fault
    return _fill(_specs(ruleset), given)


def find_option_faults(ruleset: Ruleset, players: int, given: Options) -> Iterator[Rejected]:
    """Yield every fault of the given options."""
    specs = _specs(ruleset)
    options = _fill(specs, given)
    for name in given:
        if name not in specs:
            detail = Text(
                "`options.{name}` is not an option of {edition}; {instead}",
                name=name,
                edition=ruleset.id,
                instead=did_you_mean(name, specs),
            )
            yield Rejected(Reason.UNKNOWN_OPTION, detail, _pointer(name))
    for name in given:
        fault = _fault(specs[name], options[name], players, options) if name in specs else None
        if fault:
            yield Rejected(
                Reason.BAD_OPTION,
                Text("`options.{name}` {fault}", name=name, fault=fault),
                _pointer(name),
                rule=specs[name].rule,
            )


def _specs(ruleset: Ruleset) -> dict[str, OptionSpec]:
    return {spec.name: spec for spec in ruleset.options}


def _fill(specs: Mapping[str, OptionSpec], given: Options) -> dict[str, OptionValue]:
    """Fill in defaults, sorted by name: in this order they are read back from the log."""
    values = {name: given.get(name, specs[name].default) for name in sorted(specs)}
    for spec in specs.values():
        for name, follows in implied_options(spec, values[spec.name]).items():
            if name not in values:
                continue
            # A form sends defaults along: a default value does not count as a choice (T2).
            values[name] = follows if values[name] == specs[name].default else values[name]
    return values


def implied_options(spec: OptionSpec, value: OptionValue) -> Options:
    """The option that has to be the number of named codes, with that number; empty where none are named."""
    if spec.counted_as and isinstance(value, tuple) and value:
        return {spec.counted_as: len(value)}
    return {}


def _pointer(name: str) -> str:
    return "/options/" + name.replace("~", "~0").replace("/", "~1")


def _fault(spec: OptionSpec, value: OptionValue, players: int, options: Options) -> str | None:
    return (
        _misfit(spec, value) or _clash(spec, value, players, options) or _contradiction(spec, value, options)
    )


def _clash(spec: OptionSpec, value: OptionValue, players: int, options: Options) -> str | None:
    if spec.kind == "seat" and isinstance(value, int) and not 0 <= value < players:
        return Text("must be one of the {players} seats, which are numbered from 0", players=players)
    if value and spec.players and not spec.players[0] <= players <= spec.players[1]:
        return Text("is for {least} to {most} players", least=spec.players[0], most=spec.players[1])
    return (
        Text("needs `options.{needs}`", needs=spec.needs)
        if value and spec.needs and not options.get(spec.needs)
        else None
    )


def _contradiction(spec: OptionSpec, value: OptionValue, options: Options) -> str | None:
    for name, follows in implied_options(spec, value).items():
        if options.get(name, follows) != follows:
            return Text(
                "requires `options.{name}` to be {follows}, not {given}",
                name=name,
                follows=str(follows),
                given=str(options[name]),
            )
    return None


def _misfit(spec: OptionSpec, value: OptionValue) -> str | None:
    if value == spec.default and type(value) is type(spec.default):
        return None
    if spec.kind == "flag":
        return None if isinstance(value, bool) else _unquoted(Text("must be true or false"), value)
    if spec.kind in ("number", "seat"):
        return _misfit_number(spec, value)
    if spec.kind == "policy":
        fits = isinstance(value, str) and _POLICY.fullmatch(value)
        return None if fits else Text("must be the name of a bot, or `takeover:` and the name of a bot")
    return _misfit_codes(spec, value)


def _unquoted(expected: Text, value: OptionValue) -> Text:
    return Text("{expected}, without quotes", expected=expected) if isinstance(value, str) else expected


def _misfit_number(spec: OptionSpec, value: OptionValue) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return _unquoted(Text("must be an integer"), value)
    if spec.kind == "seat":
        return None
    return (
        None
        if spec.least <= value <= spec.most
        else Text("must be between {least} and {most}", least=spec.least, most=spec.most)
    )


def _misfit_codes(spec: OptionSpec, value: OptionValue) -> str | None:
    if not isinstance(value, tuple):
        return Text("must be a list of codes")
    if len(value) > spec.most:
        return Text("must have at most {most} codes", most=spec.most)
    unknown = [code for code in value if code not in spec.codes]
    if unknown:
        return Text(
            "has an unknown code, {code}; {instead}",
            code=unknown[0],
            instead=did_you_mean(unknown[0], spec.codes),
        )
    twice = [code for code in value if value.count(code) > 1]
    return Text("must not have {code} twice", code=twice[0]) if twice else _overlap(spec, value)


def _overlap(spec: OptionSpec, codes: tuple[str, ...]) -> str | None:
    for group in spec.either:
        together = [code for code in codes if code in group]
        if len(together) > 1:
            return Text("must have only one of {codes}", codes=Joined(together, " and "))
    return None
