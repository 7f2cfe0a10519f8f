"""What was found before and what was found now, as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.play.bot_levels import BOT_NAMES
from service.play.bot_strength import Findings, Strength
from workers.arena.matches import FIRST_SEED
from workers.arena.ratings import rate

# From before editions had releases of their own; clients may still look at it.
RULES = "1"

Rows = Mapping[str, Sequence[Strength]]


def merge_findings(before: Findings, found: Rows) -> Findings:
    """Who met whom at a table again is told anew, and the ratings are made of all of it.

    What another build of a bot did is forgotten.
    """
    builds = {level: row.builds[0] for level, rows in found.items() for row in rows}
    levels = {
        level: _merge_rows(level, before.levels.get(level, ()), found.get(level, ()), builds)
        for level in BOT_NAMES
    }
    return sum_up_findings({level: rows for level, rows in levels.items() if rows})


def sum_up_findings(levels: Rows) -> Findings:
    return Findings(RULES, FIRST_SEED, {name: tuple(rows) for name, rows in levels.items()}, rate(levels))


def _merge_rows(
    level: str, before: Sequence[Strength], found: Sequence[Strength], builds: Mapping[str, str]
) -> list[Strength]:
    again = {meeting(row) for row in found}
    kept = [row for row in before if meeting(row) not in again and _is_current(level, row, builds)]
    return sorted([*kept, *found], key=meeting)


def meeting(row: Strength) -> tuple[str, str, int, str]:
    return row.edition, str(row.options), row.players, row.against


def _is_current(level: str, row: Strength, builds: Mapping[str, str]) -> bool:
    return all(
        builds.get(name, build) == build for name, build in zip((level, row.against), row.builds, strict=True)
    )
