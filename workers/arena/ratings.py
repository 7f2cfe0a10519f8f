"""Ratings for each edition and number of players, from the places that were won there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean

from msgspec import Struct
from openskill.models import PlackettLuce, PlackettLuceRating

from service.play.bot_strength import Rating, Strength

# The order of the games is drawn once and for all, so that equal findings give equal ratings.
ORDER = 1

Rows = Mapping[str, Sequence[Strength]]


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
    model, ratings = PlackettLuce(), dict[str, PlackettLuceRating]()
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
