"""Computes ratings from results, merges results, and renders them as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from msgspec import Struct
from openskill.models import PlackettLuce, PlackettLuceRating

from service.catalog.bots import BOT_NAMES, Findings, Rating, Strength
from workers.arena.matches import FIRST_SEED, Match
from workers.bots import BOTS

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
# `croupier arena --write` replaces what stands between these marks.
BEGIN = "<!-- measured -->\n"
END = "<!-- end of what was measured -->\n"

# Marks a result of an earlier build of one of the bots.
EARLIER = "†"

# Stands below the tables that the command prints.
LEGEND = """\
Results: percentage of games that the bot wins alone among equals, with its 95 % interval. Equals would
win 50 % with two players, 33 % with three, 25 % with four, 20 % with five and 17 % with six. In brackets:
not clearly different from that. †: by an earlier build of one of the two bots.
Ratings: openskill's mu ± sigma over all games of the edition with so many players, whatever the options.
"""

Rows = Mapping[str, Sequence[Strength]]


def describe_row(level: str, row: Strength) -> str:
    """Return the result of a match as a line."""
    return f"{name_table(row)}, {row.players} players, {row.games} games: {level} against {row.against} " + (
        f"{row.share:.1%} ({row.low:.1%} to {row.high:.1%})"
    )


def describe_match(match: Match) -> str:
    """Return the match as a line."""
    return f"{match.setting.edition}, {match.setting.players} players: {match.level} against {match.against}"


def name_table(row: Strength) -> str:
    """Return the edition with its options, as one column of the tables."""
    options = "".join(f" {name}={_value(value)}" for name, value in row.options.items())
    return f"{row.edition}{options}"


def _value(value: object) -> str:
    """Return the value of an option as in JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def render_matches(levels: Rows) -> str:
    """Return the results as a table: a line for each pair at a kind of table, a column for each count."""
    counts = sorted({row.players for rows in levels.values() for row in rows})
    heads = ["table", "bot", "against", *(f"{count} players" for count in counts)]
    lines = [_line(heads), _line(["---"] * len(heads))]
    pairs = _pairs(levels)
    for table, level, against in sorted(pairs, key=lambda pair: (pair[0], _by_strength(pair[1]), pair[2])):
        rows = pairs[table, level, against]
        cells = [_cell(level, rows[count]) if count in rows else "" for count in counts]
        lines.append(_line([f"`{table}`", level, against, *cells]))
    return "\n".join(lines) + "\n"


def _pairs(levels: Rows) -> dict[tuple[str, str, str], dict[int, Strength]]:
    """Return the results by table, level and opponent, and then by the number of players."""
    pairs: dict[tuple[str, str, str], dict[int, Strength]] = {}
    for level, rows in levels.items():
        for row in rows:
            pairs.setdefault((name_table(row), level, row.against), {})[row.players] = row
    return pairs


def _cell(level: str, row: Strength) -> str:
    """Return a result in per cent; in brackets if it does not clearly differ from an even share."""
    figures = f"{row.share * 100:.0f} ({row.low * 100:.0f}–{row.high * 100:.0f})"
    is_even = row.verdict == "open" or row.low <= row.even <= row.high
    text = f"[{figures}]" if is_even else figures
    return text if is_of_today(level, row) else f"{text} {EARLIER}"


def _line(cells: Sequence[str]) -> str:
    """Return the cells as a line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def render_ratings(ratings: Mapping[str, Sequence[Rating]]) -> str:
    """Return the ratings as a table: a line for each bot in an edition, a column for each player count."""
    counts = sorted({row.players for rows in ratings.values() for row in rows})
    lines = [_line(["edition", "bot", *(f"{count} players" for count in counts)])]
    lines.append(_line(["---"] * (len(counts) + 2)))
    lines += _rating_lines(ratings, counts)
    return "\n".join(lines) + "\n"


def _rating_lines(ratings: Mapping[str, Sequence[Rating]], counts: Sequence[int]) -> Iterator[str]:
    """Yield the lines of the table of ratings."""
    for edition in sorted({row.edition for rows in ratings.values() for row in rows}):
        for name in sorted(ratings, key=_by_strength):
            rows = ratings[name]
            own = {row.players: f"{row.mu:.1f} ± {row.sigma:.1f}" for row in rows if row.edition == edition}
            if own:
                yield _line([f"`{edition}`", name, *(own.get(count, "") for count in counts)])


def _by_strength(name: str) -> tuple[bool, int, str]:
    """Return a key that sorts levels from the weakest on, and other bots behind them."""
    is_level = name in BOT_NAMES
    return not is_level, BOT_NAMES.index(name) if is_level else 0, name


def render_findings(found: Findings) -> str:
    """Return both tables, results and ratings."""
    return f"{render_matches(found.levels)}\n{render_ratings(found.ratings)}"


def put_into_page(page: str, found: Findings) -> str:
    """Return the page with the tables between their marks."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{render_findings(found)}\n{END}{rest.partition(END)[2]}"


# The seed of the order in which games are rated: it is fixed, so that equal results give equal ratings.
ORDER = 1


class Meeting(Struct, frozen=True):
    """Describes a game for the ratings: a level alone against `players` - 1 equal ones, and its place."""

    level: str
    against: str
    players: int
    place: int


def rate(rows: Rows) -> dict[str, tuple[Rating, ...]]:
    """Return the ratings of all bots that played, by edition and number of players."""
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
    """Return every game of this edition and number of players, in an order drawn from a fixed seed."""
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
    """Return the ratings after all these games."""
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
    """Return the ratings of the level and its opponents after one game.

    The opponents are one bot on several seats: its new rating is the mean over the seats.
    """
    ranks = [float(place) for place in range(1, meeting.players + 1) if place != meeting.place]
    teams = [[own], *([other] for _ in ranks)]
    (mine,), *theirs = model.rate(teams, ranks=[float(meeting.place), *ranks])
    return mine, model.rating(
        fmean(rating.mu for (rating,) in theirs), fmean(rating.sigma for (rating,) in theirs)
    )


# The version of the rules from before editions had releases; clients may still read it.
RULES = "1"


def merge_findings(before: Findings, found: Rows) -> Findings:
    """Return the stored results with the new ones in place of those of the same match.

    Results of an earlier build stay until their match is played again. The ratings are computed anew from
    all results.
    """
    levels = {
        level: _merge_rows(level, before.levels.get(level, ()), found.get(level, ())) for level in BOT_NAMES
    }
    return sum_up_findings({level: rows for level, rows in levels.items() if rows})


def sum_up_findings(levels: Rows) -> Findings:
    """Return the results with the ratings that follow from them."""
    return Findings(RULES, FIRST_SEED, {name: tuple(rows) for name, rows in levels.items()}, rate(levels))


def _merge_rows(level: str, before: Sequence[Strength], found: Sequence[Strength]) -> list[Strength]:
    """Return the stored results of a level with the new ones, in order.

    What a level won against a much lower one goes when it has met the next lower one at the same table.
    """
    again = {meeting_key(row) for row in found}
    kept = [row for row in before if meeting_key(row) not in again]
    below = BOT_NAMES[: BOT_NAMES.index(level)]
    met = {_table_key(row) for row in (*kept, *found) if below and row.against == below[-1]}
    needed = [row for row in kept if row.against not in below[:-1] or _table_key(row) not in met]
    return sorted([*needed, *found], key=meeting_key)


def meeting_key(row: Strength) -> tuple[str, str, int, str]:
    """Return what identifies a match of a level: table, players and opponent."""
    return *_table_key(row), row.against


def _table_key(row: Strength) -> tuple[str, str, int]:
    """Return what identifies the kind of table of a result."""
    return row.edition, str(row.options), row.players


def is_of_today(level: str, row: Strength) -> bool:
    """Return whether both bots have the builds of today. Foreign bots have none."""
    return all(
        name not in BOTS or BOTS[name].build == build
        for name, build in zip((level, row.against), row.builds, strict=True)
    )
