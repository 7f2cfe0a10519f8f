"""What is wrong with a planned game, all of it at once."""

from __future__ import annotations

from collections.abc import Iterator

from rules.editions import EDITIONS
from rules.options import completed
from rules.rejection import Rejected
from rules.ruleset import Options, Ruleset
from service.problems import Fault, Problem, fault_of, refused

_OPTIONS = "/options/"


def refused_plan(rejected: Rejected, edition: str, options: Options, players: int) -> Problem:
    """The rules stop at the first fault; whoever fills in a form wants to see every one."""
    ruleset = EDITIONS.get(edition)
    others = [] if ruleset is None else list(_option_faults(ruleset, options, players))
    problem = refused(rejected)
    first = [] if rejected.where.startswith(_OPTIONS) else [fault_of(rejected)]
    problem.members["errors"] = [*first, *others]
    return problem


def _option_faults(ruleset: Ruleset, options: Options, players: int) -> Iterator[Fault]:
    left = dict(options)
    while True:
        try:
            completed(ruleset, players, left)
            return
        except Rejected as rejected:
            name = rejected.where.removeprefix(_OPTIONS)
            del left[name]
            pointer = _OPTIONS + name.replace("~", "~0").replace("/", "~1")
            yield Fault(rejected.detail, pointer, code=rejected.reason.value)
