"""Rates bots and players by openskill, and writes the boards that list them: `Ratings.catch_up`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from openskill.models import PlackettLuce
from redis import Redis

from events.redis import translate_redis_errors
from service.stats.counts import (
    BOARD,
    BOARDS,
    PLACED,
    RATED,
    RATINGS,
    RESULTS,
    Rating,
    Result,
    board_of,
    rated_name,
    write_time,
)

# Results are rated so many seconds after the end, so that games that ended together come in order.
SETTLED = 5.0
# How many results one step rates.
BATCH = 50

_model = PlackettLuce()
NEW = Rating(_model.mu, _model.sigma)


class Ratings:
    """Rates the results of games in the order in which they ended.

    Several processes may do so at once: a step is written only if no other was since it began.
    """

    def __init__(self, client: Redis) -> None:
        """Use the ratings in that client's Redis."""
        self._redis: Any = client
        self._write = client.register_script(files("service.stats").joinpath("rate.lua").read_text("utf-8"))

    def catch_up(self, now: float) -> bool:
        """Rate the next batch of results that are old enough; return False if there is none.

        Raises Unavailable.
        """
        with translate_redis_errors():
            place = self._redis.get(RATED) or b""
            found = self._read_results(place, now)
            if not found:
                return False
            games = [game for game, _ in found]
            results = [msgspec.json.decode(raw, type=Result) for raw in self._redis.hmget(PLACED, games)]
            self._rate_all(place, found[-1], results)
        return True

    def _read_results(self, place: bytes, now: float) -> list[tuple[bytes, float]]:
        """Return the next games after a place, each with the time when it ended."""
        least = float(place.partition(b"|")[0] or 0)
        most = (now - SETTLED) * 1000
        found = self._redis.zrangebyscore(RESULTS, least, most, 0, BATCH + 1, withscores=True)
        return [(game, score) for game, score in found if _place(game, score) > place][:BATCH]

    def _rate_all(self, place: bytes, end: tuple[bytes, float], results: Sequence[Result]) -> None:
        """Rate these results in order and write the ratings, unless another process moved the place."""
        known: dict[str, Rating] = {}
        for result in results:
            known |= rate(result, {name: known.get(name) or self._read(name) for name in names_of(result)})
        rows = [part for name, rating in known.items() for part in (name, *_stored(name, rating))]
        self._write((RATINGS, RATED, BOARDS), (place, _place(*end), BOARD, *rows))

    def _read(self, name: str) -> Rating:
        """Return a stored rating, or that of a newcomer."""
        found = self._redis.hget(RATINGS, name)
        return NEW if found is None else msgspec.json.decode(found, type=Rating)


def names_of(result: Result) -> dict[str, list[int]]:
    """Return the seats of each rated bot or player, by the name under which its rating is stored."""
    names: dict[str, list[int]] = {}
    for seat, who in enumerate(result.who):
        if who:
            names.setdefault(rated_name(result.edition, len(result.who), who), []).append(seat)
    return names


def rate(result: Result, known: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return the new ratings after a result, by name; empty if one bot or player had all seats.

    A bot or player with several seats gets the mean of their new ratings.
    """
    names = names_of(result)
    if len(names) < 2 and all(result.who):
        return {}
    of_seat = {seat: known[name] for name, seats in names.items() for seat in seats}
    before = [[_model.rating(found.mu, found.sigma)] for found in _in_order(of_seat, len(result.who))]
    after = [team[0] for team in _model.rate(before, scores=[*map(float, _scores(result))])]
    return {name: _mean(known[name], seats, after, result) for name, seats in names.items()}


def _in_order(of_seat: Mapping[int, Rating], seats: int) -> list[Rating]:
    """Return the rating of each seat; people who are not registered count as newcomers."""
    return [of_seat.get(seat, NEW) for seat in range(seats)]


def _scores(result: Result) -> list[int]:
    """Return a score for each seat; a winner comes before a seat that has as much money and loses the tie."""
    return [2 * total + (seat in result.winners) for seat, total in enumerate(result.totals)]


def _mean(known: Rating, seats: Sequence[int], after: Sequence[Any], result: Result) -> Rating:
    """Return a rating after a result: the mean of what the seats have, with one more game."""
    mu = sum(after[seat].mu for seat in seats) / len(seats)
    sigma = sum(after[seat].sigma for seat in seats) / len(seats)
    won = known.won + any(seat in result.winners for seat in seats)
    return Rating(round(mu, 6), round(sigma, 6), known.games + 1, won)


def _stored(name: str, rating: Rating) -> tuple[str, float, bytes]:
    """Return the board, the value it is ordered by, and the encoded rating."""
    return board_of(name), rating.ordinal, msgspec.json.encode(rating)


def _place(game: bytes, score: float) -> bytes:
    """Return the place of a result in the order of rating, as bytes that compare in that order."""
    return f"{write_time(score / 1000)}|".encode() + game
