"""What the rules make of given dice and answers; `python -m tests.rules_print` keeps it for new rules.

Whoever audits an old game decides its commands again, so rules that answer otherwise are another version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from rules.editions import EDITIONS
from rules.options import complete_options
from rules.rejection import Rejected
from rules.releases import Editions
from rules.ruleset import Options, Ruleset
from tests.support.json_logs import random_log

STORED = Path(__file__).parent / "stored"
SEED = 1

FIRST = Editions(*((ruleset,) for ruleset in EDITIONS.releases if ruleset.release == 1))
Table = tuple[str, Options, int]


def tables() -> Iterator[Table]:
    """Every edition with each of its options and each of its tiles, for every number of players."""
    for ruleset in FIRST.newest.values():
        for players in range(ruleset.seats[0], ruleset.seats[1] + 1):
            for options in _variants(ruleset):
                if _fits(ruleset, players, options):
                    yield ruleset.id, options, players


def _variants(ruleset: Ruleset) -> Iterator[Options]:
    yield {}
    for spec in ruleset.options:
        if spec.kind == "flag":
            yield {spec.name: True} | ({spec.needs: True} if spec.needs else {})
        if spec.kind == "number":
            yield {spec.name: spec.most}
        if spec.kind == "codes":
            yield from ({spec.name: (code,)} for code in spec.codes)


def _fits(ruleset: Ruleset, players: int, options: Options) -> bool:
    try:
        complete_options(ruleset, players, options)
    except Rejected:
        return False
    return True


def name(table: Table) -> str:
    edition, options, players = table
    values = (value if isinstance(value, tuple) else (option,) for option, value in options.items())
    return "-".join((edition, str(players), *(str(part) for value in values for part in value)))


def rules_print(table: Table) -> str:
    """Of every answer in a game and the events it caused."""
    played = [(commit["command"], commit["events"]) for commit in random_log(*table, SEED, editions=FIRST)]
    return sha256(json.dumps(played, sort_keys=True).encode()).hexdigest()


def stored(rules: str = "1") -> Path:
    return STORED / f"rules-{rules}.json"


def main() -> None:
    with stored().open("x") as file:
        json.dump({name(table): rules_print(table) for table in tables()}, file, indent=0)
        file.write("\n")


if __name__ == "__main__":
    main()
