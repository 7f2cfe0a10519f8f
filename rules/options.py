"""Options of a game, checked against its edition."""

from __future__ import annotations

from events.types import OptionValue
from rules.rejection import Reason, Rejected
from rules.ruleset import Options, OptionSpec, Ruleset

MOST_TURN_SECONDS = 86_400


COMMON = (
    OptionSpec(
        "start_seat",
        "seat",
        "The seat that starts the first round; drawn by chance when left out.",
        rule="P2",
    ),
    OptionSpec(
        "hide_money", "flag", "Hide what the others have won until the game is over.", False, rule="M8"
    ),
    OptionSpec(
        "turn_seconds",
        "number",
        "Seconds a person may take for an answer before the service answers instead; 0 for no limit.",
        0,
        most=MOST_TURN_SECONDS,
        rule="W1",
    ),
)


def completed(ruleset: Ruleset, players: int, given: Options) -> dict[str, OptionValue]:
    """Every option with its value, or the reason why one does not fit."""
    specs = {spec.name: spec for spec in ruleset.options}
    for name in given:
        if name not in specs:
            raise Rejected(Reason.UNKNOWN_OPTION, f"{ruleset.id} has no option {name}", f"/options/{name}")
    # In the order of the log, so that a table looks the same played and read back.
    options = {name: given.get(name, specs[name].default) for name in sorted(specs)}
    for name in given:
        _check(specs[name], options[name], players, options)
    return options


def _check(spec: OptionSpec, value: OptionValue, players: int, options: Options) -> None:
    fault = (
        _misfit(spec, value) or _clash(spec, value, players, options) or spec.fault(value, players, options)
    )
    if fault:
        raise Rejected(Reason.BAD_OPTION, f"{spec.name}: {fault}", f"/options/{spec.name}", spec.rule)


def _clash(spec: OptionSpec, value: OptionValue, players: int, options: Options) -> str | None:
    if spec.kind == "seat" and isinstance(value, int) and not 0 <= value < players:
        return f"there are {players} seats, numbered from 0"
    if value and spec.players and not spec.players[0] <= players <= spec.players[1]:
        return f"it is for {spec.players[0]} to {spec.players[1]} players"
    return f"it needs {spec.needs}" if value and spec.needs and not options[spec.needs] else None


def _misfit(spec: OptionSpec, value: OptionValue) -> str | None:
    if value == spec.default and type(value) is type(spec.default):
        return None
    if spec.kind == "flag":
        return None if isinstance(value, bool) else "true or false is expected"
    if spec.kind in ("number", "seat"):
        return _misfit_number(spec, value)
    return _misfit_codes(spec, value)


def _misfit_number(spec: OptionSpec, value: OptionValue) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return "a whole number is expected"
    if spec.kind == "seat":
        return None
    return None if spec.least <= value <= spec.most else f"{spec.least} to {spec.most} is expected"


def _misfit_codes(spec: OptionSpec, value: OptionValue) -> str | None:
    if not isinstance(value, tuple):
        return "a list of codes is expected"
    if len(value) > spec.most:
        return f"at most {spec.most} codes are expected"
    unknown = [code for code in value if code not in spec.codes]
    return f"unknown code {unknown[0]}" if unknown else None
