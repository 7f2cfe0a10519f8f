"""Findings as people read them: Markdown, a table for each kind of table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from service.play.bot_strength import Findings, Rating, Strength
from workers.arena.matches import Match

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
# What is between these is written by `croupier arena --write`.
BEGIN, END = "<!-- measured -->\n", "<!-- end of what was measured -->\n"

Rows = Mapping[str, Sequence[Strength]]


def describe_row(level: str, row: Strength) -> str:
    return f"{name_table(row)}, {row.players} players, {row.games} games: {level} against {row.against} " + (
        f"{row.share:.1%} ({row.low:.1%} to {row.high:.1%})"
    )


def describe_match(match: Match) -> str:
    return f"{match.setting.edition}, {match.setting.players} players: {match.level} against {match.against}"


def name_table(row: Strength) -> str:
    options = "".join(f" {name}={_value(value)}" for name, value in row.options.items())
    return f"{row.edition}{options}"


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def render_matches(levels: Rows) -> str:
    """Who won how much against whom: a line for a pair and a kind of table, a column for each number."""
    counts = sorted({row.players for rows in levels.values() for row in rows})
    heads = ["table", "bot", "against", *(f"{count} players" for count in counts)]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for (table, level, against), rows in sorted(_pairs(levels).items()):
        cells = [_cell(rows[count]) if count in rows else "" for count in counts]
        lines.append(_line([f"`{table}`", level, against, *cells]))
    return "\n".join(lines) + "\n"


def _pairs(levels: Rows) -> dict[tuple[str, str, str], dict[int, Strength]]:
    pairs: dict[tuple[str, str, str], dict[int, Strength]] = {}
    for level, rows in levels.items():
        for row in rows:
            pairs.setdefault((name_table(row), level, row.against), {})[row.players] = row
    return pairs


def _cell(row: Strength) -> str:
    """In per cent; what does not differ from an even share is in brackets."""
    text = f"{row.share * 100:.0f} ({row.low * 100:.0f}–{row.high * 100:.0f})"
    return f"[{text}]" if row.low <= row.even <= row.high else text


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def render_ratings(ratings: Mapping[str, Sequence[Rating]]) -> str:
    counts = sorted({row.players for rows in ratings.values() for row in rows})
    lines = [_line(["edition", "bot", *(f"{count} players" for count in counts)])]
    lines.append(_line(["---"] * (len(counts) + 2)))
    lines += _rating_lines(ratings, counts)
    return "\n".join(lines) + "\n"


def _rating_lines(ratings: Mapping[str, Sequence[Rating]], counts: Sequence[int]) -> Iterator[str]:
    for edition in sorted({row.edition for rows in ratings.values() for row in rows}):
        for name, rows in ratings.items():
            own = {row.players: f"{row.mu:.1f} ± {row.sigma:.1f}" for row in rows if row.edition == edition}
            if own:
                yield _line([f"`{edition}`", name, *(own.get(count, "") for count in counts)])


def render_findings(found: Findings) -> str:
    return f"{render_matches(found.levels)}\n{render_ratings(found.ratings)}"


def put_into_page(page: str, found: Findings) -> str:
    """The page with the tables in their place."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{render_findings(found)}\n{END}{rest.partition(END)[2]}"
