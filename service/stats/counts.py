"""Counts over all finished games, derived from the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.resources import files
from math import erfc, exp, pi, sqrt
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.commands import Choose
from events.commit import Commit
from events.redis import translate_redis_errors
from events.types import DiceRolled
from events.values import PUBLIC
from rules import EDITIONS, State
from rules.evolve import fold
from rules.explain.facts import walk_facts
from rules.scoring import CHIP, totals
from rules.state import EMPTY, Seat
from service.games.games import Games

_PREFIX = "croupier:{lobby}:stats:"
COUNTS, GAMES, RESULTS, WAITING, PLACED = (
    _PREFIX + name for name in ("counts", "games", "results", "waiting", "placed")
)
RATINGS, RATED, BOARDS, BOARD = (_PREFIX + name for name in ("ratings", "rated", "boards", "board:"))


class Rating(Struct, frozen=True):
    """As openskill has it."""

    mu: float
    sigma: float
    games: int = 0
    won: int = 0

    @property
    def ordinal(self) -> float:
        """What somebody is worth at the least, with near certainty."""
        return round(self.mu - 3 * self.sigma, 4)


class Row(Struct, frozen=True):
    """Somebody on a board: `bot:expert` or `player:p_…`."""

    who: str
    rating: Rating


class Board(Struct, frozen=True):
    edition: str
    players: int
    rows: Sequence[Row]


def rated_name(edition: str, players: int, who: str) -> str:
    return f"{edition}|{players}|{who}"


def board_of(name: str) -> str:
    return name.rpartition("|")[0]


def read_boards(client: Redis, most: int) -> list[Board]:
    """Of each so many rows. Raises Unavailable."""
    redis: Any = client
    with translate_redis_errors():
        boards = sorted(name.decode() for name in redis.smembers(BOARDS))
        return [_read_board(redis, name, most) for name in boards]


def _read_board(redis: Any, board: str, most: int) -> Board:
    edition, _, players = board.partition("|")
    names = [name.decode() for name in redis.zrevrange(BOARD + board, 0, most - 1)]
    found = redis.hmget(RATINGS, names) if names else []
    rows = [
        Row(name.rpartition("|")[2], msgspec.json.decode(raw, type=Rating))
        for name, raw in zip(names, found, strict=True)
    ]
    return Board(edition, int(players), rows)


# Answers that make one step in the table of lengths.
LENGTH_STEP = 25


class Summary(Struct, frozen=True):
    """What the statistics need of a game. `who` has the bot or player of each seat, if any."""

    edition: str
    who: tuple[str, ...]
    winners: tuple[int, ...]
    totals: tuple[int, ...]
    counts: Mapping[str, int]


def is_counted(state: State) -> bool:
    """Say whether a game counts: public games that are over, except forks, which begin with other dice."""
    return state.status == "over" and state.visibility == PUBLIC and state.origin is None


def summarise(commits: Sequence[Commit], state: State) -> Summary:
    """`state` is the game's at its end."""
    winners = state.winners or ()
    table = f"{state.edition}/{len(state.seats)}"
    counts = Counter({f"{table}/{'finished' if winners else 'broken_off'}": 1})
    counts += _count_rolls(commits, state.edition)
    who = tuple(map(_who, state.seats))
    if winners:
        counts += _count_result(table, who, winners, _length(commits))
        counts += _count_tiles(commits, state.edition) if state.tiles_used else Counter()
    return Summary(state.edition, who, winners, totals(state) if winners else (), dict(counts))


def _who(seat: Seat) -> str:
    if seat.bot is not None:
        return f"bot:{seat.bot}"
    return f"player:{seat.player}" if seat.player else ""


def _length(commits: Sequence[Commit]) -> int:
    return sum(isinstance(commit.command, Choose) for commit in commits)


def _count_rolls(commits: Sequence[Commit], edition: str) -> Counter[str]:
    """Every die that was thrown, of whatever kind."""
    faces = Counter[str]()
    for commit in commits:
        for event in commit.events:
            if isinstance(event, DiceRolled):
                big = () if event.big is None else (event.big,)
                thrown = (*event.own, *big, *event.neutral, *event.black)
                faces.update(f"{edition}/face/{face}" for face in thrown)
    return faces


def _count_result(table: str, who: Sequence[str], winners: Sequence[int], length: int) -> Counter[str]:
    counts = Counter({f"{table}/answers": length, f"{table}/length/{length // LENGTH_STEP * LENGTH_STEP}": 1})
    for seat, name in enumerate(who):
        won = seat in winners
        counts[f"{table}/seat/{seat}/won"] += won
        if name.startswith("bot:"):
            counts[f"{table}/{name}/seats"] += 1
            counts[f"{table}/{name}/won"] += won
    return counts


def _count_tiles(commits: Sequence[Commit], edition: str) -> Counter[str]:
    """How often each lay at a casino, how often it paid and what."""
    counts = Counter[str]()
    state = EMPTY
    for commit in commits:
        for fact in walk_facts(state, commit.command, commit.events):
            worth = fact.gain + CHIP * fact.chips
            if fact.what == "tile_laid":
                counts[f"{edition}/tile/{fact.tile}/laid"] += 1
            if fact.what == "paid" and fact.tile and worth > 0:
                counts[f"{edition}/tile/{fact.tile}/paid"] += 1
                counts[f"{edition}/tile/{fact.tile}/dollars"] += worth
        state = fold(state, commit.events)
    return counts


KEYS = (COUNTS, GAMES, RESULTS, WAITING, PLACED, RATINGS, RATED, BOARDS)


class Result(Struct, frozen=True):
    """Who played and what each had in the end: all that ratings need."""

    edition: str
    who: tuple[str, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]


class Stats:
    """The projector says which games are over, the reconciler counts them, one at a time."""

    def __init__(self, client: Redis, games: Games) -> None:
        self._redis: Any = client
        self._games = games
        self._script = client.register_script(files("service.stats").joinpath("count.lua").read_text("utf-8"))

    def record_finished(self, state: State) -> None:
        """That it waits to be counted, if it is to be. May be said twice."""
        if is_counted(state) and EDITIONS.knows(state):
            with translate_redis_errors():
                self._redis.sadd(WAITING, state.game)

    def find_waiting(self) -> str | None:
        """Any game that waits. Raises Unavailable."""
        with translate_redis_errors():
            waiting = self._redis.srandmember(WAITING)
        return None if waiting is None else waiting.decode()

    def count(self, game: str) -> None:
        """Also if it was counted before. Raises Unavailable, UnknownGame, BrokenLog."""
        snapshot = self._games.snapshot(game)
        # An imported game may have been made up, at the expense of a player.
        if not is_counted(snapshot.state) or snapshot.imported_at:
            self.forget(game)
            return
        summary = summarise(self._games.commits(game, 0, snapshot.version), snapshot.state)
        ended = write_time(datetime.fromisoformat(snapshot.ended_at).timestamp()) if summary.winners else ""
        parts = (msgspec.json.encode(summary.counts), ended, msgspec.json.encode(_result(summary)))
        with translate_redis_errors():
            self._script(KEYS, (game, *parts, BOARD))

    def forget(self, game: str) -> None:
        """It no longer waits."""
        with translate_redis_errors():
            self._redis.srem(WAITING, game)

    def read_counts(self) -> Mapping[str, int]:
        """Every count that is not zero, by its name. Raises Unavailable."""
        with translate_redis_errors():
            found = self._redis.hgetall(COUNTS)
        return {name.decode(): int(number) for name, number in sorted(found.items()) if int(number)}

    def read_boards(self, most: int) -> list[Board]:
        """Of each so many rows. Raises Unavailable."""
        return read_boards(self._redis, most)

    def count_waiting(self) -> int:
        with translate_redis_errors():
            return int(self._redis.scard(WAITING))


def write_time(seconds: float) -> str:
    """In milliseconds, as long as all others, so that times compare as texts."""
    return f"{round(seconds * 1000):015d}"


def _result(summary: Summary) -> Result:
    return Result(summary.edition, summary.who, summary.totals, summary.winners)


class Tree(Struct, frozen=True):
    parts: dict[str, Tree | int]

    def branches(self) -> Iterator[tuple[str, Tree]]:
        """In the order of their names."""
        for name, part in sorted(self.parts.items()):
            if isinstance(part, Tree):
                yield name, part

    def at(self, name: str) -> Tree:
        """Empty where there is nothing."""
        part = self.parts.get(name)
        return part if isinstance(part, Tree) else Tree({})

    def count(self, *names: str) -> int:
        *path, last = names
        tree = self
        for name in path:
            tree = tree.at(name)
        part = tree.parts.get(last, 0)
        return part if isinstance(part, int) else 0

    def leaves(self) -> dict[str, int]:
        return {name: part for name, part in self.parts.items() if isinstance(part, int)}


def grow_tree(counts: Mapping[str, int]) -> Tree:
    """From names such as `classic/2/seat/0/won`."""
    tree = Tree({})
    for name, number in counts.items():
        *path, last = name.split("/")
        branch = tree
        for part in path:
            deeper = branch.at(part)
            branch.parts[part] = deeper
            branch = deeper
        branch.parts[last] = number
    return tree


def chi_square(counts: Sequence[int]) -> float:
    even = sum(counts) / len(counts)
    return sum((count - even) ** 2 / even for count in counts)


def exceedance(found: float) -> float:
    """How often six fair faces are further from even than that: the tail with five degrees of freedom."""
    half = found / 2
    return erfc(sqrt(half)) + 2 * sqrt(half / pi) * exp(-half) * (1 + found / 3)
