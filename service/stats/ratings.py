"""Rates players by openskill, and writes the boards that list them: `Ratings.catch_up`.

Bots have the rating that the arena measured, and no game moves it. docs/bots.md explains the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import combinations
from typing import Any

import msgspec
from msgspec import Struct
from openskill.models import PlackettLuce
from redis import Redis

from events.redis import translate_redis_errors
from service.stats.counts import (
    BOARD,
    BOARDS,
    PAIRS,
    RATINGS,
    RESULTS,
    STEPS,
    UNRATED,
    WAITING,
    Rating,
    Result,
    board_of,
    rate_bots,
    rated_name,
)

# Results are rated so many seconds after the end, so that games that ended together come in order.
SETTLED = 5.0
# How many results one step rates.
BATCH = 50
# After so many games of a pair, another one weighs half.
HALF_WEIGHT = 10

_model = PlackettLuce()
NEW = Rating(_model.mu, _model.sigma)
_PLAYER = "player:"


class Known(Struct):
    """Holds what is known before a result: ratings of players by who they are, and games of each pair."""

    ratings: dict[str, Rating]
    pairs: dict[str, int]


class Ratings:
    """Rates each result once, with the ratings as they are then: a late one has nothing rated again.

    Several processes may do so at once: a step is written only if no other came in between, for that may have
    moved a rating that this one began with.
    """

    def __init__(self, client: Redis) -> None:
        """Use the ratings in that client's Redis."""
        self._redis: Any = client
        self._write = client.register_script(files("service.stats").joinpath("rate.lua").read_text("utf-8"))

    def catch_up(self, now: float) -> bool:
        """Rate the next batch of results that are old enough; return False if there is none.

        Waits until all games are counted, so that after a rebuild the oldest comes first. Raises Unavailable.
        """
        with translate_redis_errors():
            if self._redis.exists(WAITING):
                return False
            steps = int(self._redis.get(STEPS) or 0)
            games = self._redis.zrangebyscore(RESULTS, "-inf", now - SETTLED, 0, BATCH)
            if not games:
                return False
            raws = self._redis.hmget(UNRATED, games)
            self._rate_all(steps, games, [msgspec.json.decode(raw, type=Result) for raw in raws if raw])
        return True

    def _rate_all(self, steps: int, games: Sequence[bytes], results: Sequence[Result]) -> None:
        """Rate these results in order and write the ratings, unless another step was taken meanwhile."""
        changed: dict[str, Rating] = {}
        played: list[str] = []
        counts: dict[str, int] = {}
        for result in results:
            pairs = name_pairs(result)
            known = Known(self._read_ratings(result, changed), self._read_pairs(pairs, counts))
            for who, rating in rate(result, known).items():
                changed[rated_name(result.edition, len(result.who), who)] = rating
            counts |= {pair: number + 1 for pair, number in known.pairs.items()}
            played += pairs
        rows = [part for name, rating in changed.items() for part in (name, *_stored(name, rating))]
        keys = (RATINGS, BOARDS, RESULTS, UNRATED, PAIRS, STEPS)
        self._write(keys, (steps, BOARD, len(games), *games, len(played), *played, *rows))

    def _read_ratings(self, result: Result, changed: Mapping[str, Rating]) -> dict[str, Rating]:
        """Return the ratings of the players of a game, of a newcomer for those who have none."""
        found: dict[str, Rating] = {}
        for who in players_of(result):
            name = rated_name(result.edition, len(result.who), who)
            stored = None if name in changed else self._redis.hget(RATINGS, name)
            known = NEW if stored is None else msgspec.json.decode(stored, type=Rating)
            found[who] = changed.get(name, known)
        return found

    def _read_pairs(self, pairs: Sequence[str], counts: Mapping[str, int]) -> dict[str, int]:
        """Return how many games each pair has played."""
        stored = self._redis.hmget(PAIRS, pairs) if pairs else []
        return {pair: counts.get(pair, int(number or 0)) for pair, number in zip(pairs, stored, strict=True)}


def players_of(result: Result) -> list[str]:
    """Return the registered players of a game, each once."""
    return [who for who in dict.fromkeys(result.who) if who.startswith(_PLAYER)]


def name_pairs(result: Result) -> list[str]:
    """Return the names of all pairs of a player with another player or a bot."""
    everybody = sorted({who for who in result.who if who})
    return [_pair(*pair) for pair in combinations(everybody, 2) if any(map(_is_player, pair))]


def _is_player(who: str) -> bool:
    """Return whether this is a registered player, not a bot."""
    return who.startswith(_PLAYER)


def _pair(one: str, other: str) -> str:
    """Return the name of a pair, the same in either order."""
    return "|".join(sorted((one, other)))


def rate(result: Result, known: Known) -> dict[str, Rating]:
    """Return the new ratings of the players of a game; empty if none had an opponent with a rating.

    People without a rating are left out, as if they had not played. A player with several seats gets the mean
    of their new ratings.
    """
    bots = {f"bot:{bot}": rating for bot, rating in rate_bots(result.edition, len(result.who)).items()}
    ratings = {**bots, **known.ratings}
    seats = [seat for seat, who in enumerate(result.who) if who in ratings]
    everybody = {result.who[seat] for seat in seats}
    if len(everybody) < 2:
        return {}
    found = [ratings[result.who[seat]] for seat in seats]
    before = [[_model.rating(rating.mu, rating.sigma)] for rating in found]
    after = _model.rate(before, scores=[_score(result, seat) for seat in seats])
    reached = {seat: team[0] for seat, team in zip(seats, after, strict=True)}
    changed: dict[str, Rating] = {}
    for who in players_of(result):
        weight = _weigh(who, everybody - {who}, ratings, known.pairs)
        own = [seat for seat in seats if result.who[seat] == who]
        changed[who] = _move(known.ratings[who], own, reached, result, weight)
    return changed


def _score(result: Result, seat: int) -> float:
    """Return the score of a seat; a winner comes before a seat that has as much money and loses the tie."""
    return 2.0 * result.totals[seat] + (seat in result.winners)


def _weigh(who: str, others: set[str], ratings: Mapping[str, Rating], pairs: Mapping[str, int]) -> float:
    """Return how much a game tells of a player, from 0 to 1: the mean over all opponents.

    An opponent of whom nothing is known tells nothing, and the more games the two have played, the less does
    another one.
    """
    weights = [
        max(0.0, 1 - (ratings[other].sigma / NEW.sigma) ** 2)
        * HALF_WEIGHT
        / (HALF_WEIGHT + pairs[_pair(who, other)])
        for other in others
    ]
    return sum(weights) / len(weights)


def _move(
    known: Rating, seats: Sequence[int], reached: Mapping[int, Any], result: Result, weight: float
) -> Rating:
    """Return a rating after a game, moved by `weight` towards what the seats have reached.

    What a stand-in or the clock won is not the player's: a gain counts by the part of the answers that the
    player gave, a loss counts whole, so that leaving does not save anybody from it.
    """
    own = sum(result.own[seat] for seat in seats) / len(seats)
    mu = sum(reached[seat].mu for seat in seats) / len(seats)
    sigma = sum(reached[seat].sigma for seat in seats) / len(seats)
    weight *= own if mu > known.mu else 1.0
    has_won = own > 0.5 and any(seat in result.winners for seat in seats)
    return Rating(
        round(known.mu + weight * (mu - known.mu), 6),
        round(known.sigma + weight * (sigma - known.sigma), 6),
        known.games + 1,
        known.won + has_won,
    )


def _stored(name: str, rating: Rating) -> tuple[str, float, bytes]:
    """Return the board, the value it is ordered by, and the encoded rating."""
    return board_of(name), rating.ordinal, msgspec.json.encode(rating)
