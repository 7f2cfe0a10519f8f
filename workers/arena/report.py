"""Ratings and reports of an arena run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from msgspec import Struct
from openskill.models import PlackettLuce, PlackettLuceRating

from service.catalog.bots import BOT_NAMES, Findings, Rating, Strength
from workers.arena.matches import FIRST_SEED, Match

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
# What is between these is written by `croupier arena --write`.
BEGIN = "<!-- measured -->\n"
END = "<!-- end of what was measured -->\n"

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


# The order of the games is drawn once and for all, so that equal findings give equal ratings.
ORDER = 1


class Meeting(Struct, frozen=True):
    """A game: one alone among `rivals` equals, and the place it reached."""

    level: str
    against: str
    players: int
    place: int


def rate(rows: Rows) -> dict[str, tuple[Rating, ...]]:
    """Of all who played, whoever they are."""
    tables = sorted({(row.edition, row.players) for own in rows.values() for row in own})
    rated: dict[str, list[Rating]] = {}
    for edition, players in tables:
        meetings = _meetings(rows, edition, players)
        for name, rating in _rate_meetings(meetings).items():
            games = sum(name in (meeting.level, meeting.against) for meeting in meetings)
            figures = round(rating.mu, 2), round(rating.sigma, 2)
            rated.setdefault(name, []).append(Rating(edition, players, games, *figures))
    return {name: tuple(own) for name, own in rated.items()}


def _meetings(rows: Rows, edition: str, players: int) -> list[Meeting]:
    meetings = [
        Meeting(level, row.against, players, place)
        for level, own in rows.items()
        for row in own
        if (row.edition, row.players) == (edition, players)
        for place, times in enumerate(row.places, 1)
        for _ in range(times)
    ]
    Random(ORDER).shuffle(meetings)
    return meetings


def _rate_meetings(meetings: Sequence[Meeting]) -> dict[str, PlackettLuceRating]:
    model = PlackettLuce()
    ratings = dict[str, PlackettLuceRating]()
    for meeting in meetings:
        own = ratings.get(meeting.level) or model.rating()
        other = ratings.get(meeting.against) or model.rating()
        ratings[meeting.level], ratings[meeting.against] = _update(model, meeting, own, other)
    return ratings


def _update(
    model: PlackettLuce, meeting: Meeting, own: PlackettLuceRating, other: PlackettLuceRating
) -> tuple[PlackettLuceRating, PlackettLuceRating]:
    """The equals keep one rating: what each of them would have now, on average."""
    ranks = [float(place) for place in range(1, meeting.players + 1) if place != meeting.place]
    teams = [[own], *([other] for _ in ranks)]
    (mine,), *theirs = model.rate(teams, ranks=[float(meeting.place), *ranks])
    return mine, model.rating(
        fmean(rating.mu for (rating,) in theirs), fmean(rating.sigma for (rating,) in theirs)
    )


# From before editions had releases of their own; clients may still look at it.
RULES = "1"


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
