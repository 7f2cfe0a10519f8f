"""Counts finished games in Redis: victories, lengths, dice, tiles. Derived from the log.

`Stats.record_finished` puts a game on the waiting list and `Stats.count` counts it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from math import erfc, exp, pi, sqrt
from typing import Any

import msgspec
from msgspec import Struct
from redis import Redis

from events.commands import Choose
from events.commit import Commit
from events.follower import PROJECTOR, Fence, cursor_key, read_fence
from events.layout import find_layout
from events.redis import translate_redis_errors
from events.types import DiceRolled
from events.values import OWNER, PUBLIC
from rules import EDITIONS, State
from rules.evolve import fold
from rules.explain.facts import walk_facts
from rules.scoring import CHIP, totals
from rules.state import EMPTY, Seat
from service.catalog.bots import BOT_NAMES, Findings, read_findings
from service.catalog.bots import Rating as ArenaRating
from service.games.games import Games
from service.games.snapshots import Snapshot
from service.lobby.archived_games import COUNTS as ARCHIVED_COUNTS
from service.lobby.archived_games import ENTRIES, ArchivedGames, SealedGame, name_seal

# Raise the number when games are counted or rated in another way: all are then read again.
_FORM = 2
_FORMER = "croupier:{lobby}:stats:"
_PREFIX = f"{_FORMER}{_FORM}:"
COUNTS, GAMES, RESULTS, WAITING, UNRATED = (
    _PREFIX + name for name in ("counts", "games", "results", "waiting", "unrated")
)
RATINGS, PAIRS, BOARDS, BOARD, STEPS = (
    _PREFIX + name for name in ("ratings", "pairs", "boards", "board:", "steps")
)


class Rating(Struct, frozen=True):
    """Holds a rating in openskill's model, and how many games it comes from."""

    mu: float
    sigma: float
    games: int = 0
    won: int = 0

    @property
    def ordinal(self) -> float:
        """Return a lower bound of the strength, by which boards are ordered."""
        return round(self.mu - 3 * self.sigma, 4)


class Row(Struct, frozen=True):
    """Holds one place on a board; `who` is `bot:expert` or `player:p_…`. See `read_arena_rows` for bots."""

    who: str
    rating: Rating


class Board(Struct, frozen=True):
    """Holds the ratings of one edition and number of players, best first."""

    edition: str
    players: int
    rows: Sequence[Row]


def rated_name(edition: str, players: int, who: str) -> str:
    """Return the name under which a rating is stored."""
    return f"{edition}|{players}|{who}"


def board_of(name: str) -> str:
    """Return the name of the board that a rating's name belongs to."""
    return name.rpartition("|")[0]


def read_boards(client: Redis, most: int, min_games: int = 0) -> list[Board]:
    """Return all boards, each with its best `most` rows of at least so many games. Raises Unavailable."""
    redis: Any = client
    with translate_redis_errors():
        boards = {name.decode() for name in redis.smembers(BOARDS)} | measured_boards()
        return [_read_board(redis, name, most, min_games) for name in sorted(boards)]


class PlayerRating(Struct, frozen=True):
    """The rating of a player at tables of one edition and number of players."""

    edition: str
    players: int
    mu: float
    sigma: float
    ordinal: float
    games: int
    won: int


def read_ratings(client: Redis, players: Sequence[str]) -> dict[str, tuple[PlayerRating, ...]]:
    """Return the ratings of each of these players on all boards. Raises Unavailable."""
    redis: Any = client
    with translate_redis_errors():
        boards = sorted(name.decode() for name in redis.smembers(BOARDS))
        names = [f"{board}|player:{player}" for player in players for board in boards]
        stored = redis.hmget(RATINGS, names) if names else []
    found: dict[str, tuple[PlayerRating, ...]] = dict.fromkeys(players, ())
    for name, raw in zip(names, stored, strict=True):
        if raw is not None:
            player = name.rpartition(":")[2]
            found[player] = (*found[player], _show_rating(name, msgspec.json.decode(raw, type=Rating)))
    return found


def _show_rating(name: str, rating: Rating) -> PlayerRating:
    edition, _, players = board_of(name).partition("|")
    return PlayerRating(
        edition=edition,
        players=int(players),
        mu=round(rating.mu, 3),
        sigma=round(rating.sigma, 3),
        ordinal=rating.ordinal,
        games=rating.games,
        won=rating.won,
    )


def _read_board(redis: Any, board: str, most: int, min_games: int) -> Board:
    """Return one board with its best `most` rows: players by their games, bots by the arena."""
    edition, _, players = board.partition("|")
    rows = list[Row]()
    for start in range(0, MOST_LOOKED_AT, most):
        names = [name.decode() for name in redis.zrevrange(BOARD + board, start, start + most - 1)]
        found = redis.hmget(RATINGS, names) if names else []
        read = [
            Row(name.rpartition("|")[2], msgspec.json.decode(raw, type=Rating))
            for name, raw in zip(names, found, strict=True)
        ]
        rows += [row for row in read if row.rating.games >= min_games]
        if len(names) < most or len(rows) >= most:
            break
    bots = [Row(f"bot:{bot}", rating) for bot, rating in rate_bots(edition, int(players)).items()]
    rows += [row for row in bots if row.rating.games >= min_games]
    rows.sort(key=lambda row: row.rating.ordinal, reverse=True)
    return Board(edition, int(players), rows[:most])


def measured_boards() -> set[str]:
    """Return the names of the boards for which bots were measured."""
    ratings = [rating for ratings in read_findings().ratings.values() for rating in ratings]
    return {board_of(rated_name(rating.edition, rating.players, "")) for rating in ratings}


@cache
def rate_bots(edition: str, players: int) -> Mapping[str, Rating]:
    """Return the rating of each bot in the arena, at tables of this edition with so many players.

    Where there are no such tables, those with the nearest number of players count.
    """
    found = read_findings()
    return {
        bot: _measured_rating(found, bot, min(known, key=lambda rating: abs(rating.players - players)))
        for bot in BOT_NAMES
        if (known := [rating for rating in found.ratings.get(bot, ()) if rating.edition == edition])
    }


def _measured_rating(found: Findings, bot: str, rating: ArenaRating) -> Rating:
    """Return a rating of the arena with the games that the bot played there, and how many it won.

    In a match one bot plays alone against others that are all of one level.
    """
    games = 0
    won = 0.0
    for level, matches in found.levels.items():
        for match in matches:
            if (match.edition, match.players) == (rating.edition, rating.players) and bot in (
                level,
                match.against,
            ):
                games += match.games
                won += match.games * (match.share if bot == level else 1 - match.share)
    return Rating(rating.mu, rating.sigma, games, round(won))


# How many rows of a board are searched for those with enough games.
MOST_LOOKED_AT = 500
# The width of a class in the table of lengths, in answers.
LENGTH_STEP = 25


class Result(Struct, frozen=True):
    """Holds who played and what each had in the end: all that ratings need.

    `who` has the bot or player of each seat; it is empty for people who are not registered, and for players
    who never answered. `own` is the part of the seat's answers that it gave itself; a stand-in or the clock
    gave the others.
    """

    edition: str
    who: tuple[str, ...]
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    own: tuple[float, ...]


class Summary(Struct, frozen=True):
    """Holds what the statistics need of one game; `result` is None if it has no winners."""

    counts: Mapping[str, int]
    result: Result | None


def is_counted(state: State) -> bool:
    """Return whether a game counts: it is over and public, and its dice are its own.

    A fork begins with the dice of another game, and those of a sandbox game were chosen.
    """
    is_own = state.origin is None and not state.sandbox
    return state.status == "over" and state.visibility == PUBLIC and is_own


def summarise(commits: Sequence[Commit], state: State) -> Summary:
    """Return the summary of a game; `state` is its state at the end."""
    winners = state.winners or ()
    table = f"{state.edition}/{len(state.seats)}"
    counts = Counter({f"{table}/{'finished' if winners else 'broken_off'}": 1})
    counts += _count_rolls(commits, state.edition)
    if not winners:
        return Summary(dict(counts), None)
    own = _own_parts(commits, len(state.seats))
    who = tuple(_who(seat, part) for seat, part in zip(state.seats, own, strict=True))
    counts += _count_result(table, who, winners, _length(commits))
    counts += _count_tiles(commits, state.edition) if state.tiles_used else Counter()
    result = Result(state.edition, who=who, totals=totals(state), winners=winners, own=own)
    return Summary(dict(counts), result)


def _own_parts(commits: Sequence[Commit], seats: int) -> tuple[float, ...]:
    """Return the part of each seat's answers that it gave itself; 0 for a seat that was never asked."""
    given = [0] * seats
    own = [0] * seats
    for commit in commits:
        if isinstance(commit.command, Choose):
            seat = commit.command.seat
            given[seat] += 1
            own[seat] += commit.by == OWNER[seat]
    return tuple(mine / max(1, all_of_them) for mine, all_of_them in zip(own, given, strict=True))


def _who(seat: Seat, own: float) -> str:
    """Return the bot or player of a seat as boards name it; empty for people who have no rating."""
    if seat.bot is not None:
        return f"bot:{seat.bot}"
    return f"player:{seat.player}" if seat.player and own else ""


def _length(commits: Sequence[Commit]) -> int:
    """Return how many choices were made."""
    return sum(isinstance(commit.command, Choose) for commit in commits)


def _count_rolls(commits: Sequence[Commit], edition: str) -> Counter[str]:
    """Return how often each face was thrown, by dice of any kind."""
    faces = Counter[str]()
    for commit in commits:
        for event in commit.events:
            if isinstance(event, DiceRolled):
                big = () if event.big is None else (event.big,)
                thrown = (*event.own, *big, *event.neutral, *event.black)
                faces.update(f"{edition}/face/{face}" for face in thrown)
    return faces


def _count_result(table: str, who: Sequence[str], winners: Sequence[int], length: int) -> Counter[str]:
    """Return the counts of a game that was won: answers, length, victories by seat and by bot."""
    counts = Counter({f"{table}/answers": length, f"{table}/length/{length // LENGTH_STEP * LENGTH_STEP}": 1})
    for seat, name in enumerate(who):
        won = seat in winners
        counts[f"{table}/seat/{seat}/won"] += won
        if name.startswith("bot:"):
            counts[f"{table}/{name}/seats"] += 1
            counts[f"{table}/{name}/won"] += won
    return counts


def _count_tiles(commits: Sequence[Commit], edition: str) -> Counter[str]:
    """Return how often each tile lay at a casino, how often it paid, and how many dollars."""
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


KEYS = (COUNTS, GAMES, RESULTS, WAITING, UNRATED)
# What a game brings that was removed, as JSON.
NO_COUNTS = b"{}"


class Stats:
    """Counts games: the projector records which are over, and the reconciler counts them one at a time."""

    def __init__(self, client: Redis, games: Games) -> None:
        """Use the counts in that client's Redis."""
        self.redis = client
        self._redis: Any = client
        self._games = games
        self._archived = ArchivedGames(client)
        self._script = client.register_script(files("service.stats").joinpath("count.lua").read_text("utf-8"))

    def record_finished(self, snapshot: Snapshot, fence: Fence | None = None) -> None:
        """Put a game on the waiting list, if it counts. May be called twice. Raises Unavailable.

        Where the log went back, so does a game that was counted and is not over any more.
        """
        game = snapshot.game
        with translate_redis_errors():
            if is_counted(snapshot.state):
                if EDITIONS.knows(snapshot.state) and not snapshot.imported_at:
                    self._redis.sadd(WAITING, game)
            elif fence and fence.epoch and self._redis.hexists(GAMES, game):
                self._redis.sadd(WAITING, game)

    def find_waiting(self) -> str | None:
        """Return any game that waits to be counted, or None. Raises Unavailable."""
        with translate_redis_errors():
            waiting = self._redis.srandmember(WAITING)
        return None if waiting is None else waiting.decode()

    def count(self, game: str) -> None:
        """Count a game and take it off the waiting list; counting it twice counts it once.

        If its log went back, what it brought is taken back. Raises Unavailable, UnknownGame, BrokenLog.
        """
        if self._archived.is_sealed(game):
            # It was counted for good before it went to the archive, from which a rematch has brought it back.
            self.forget(game)
            return
        fence = read_fence(self._redis, "lobby", PROJECTOR, game)
        snapshot = self._games.snapshot(game)
        # An imported game may have been made up, at the expense of a player.
        if not is_counted(snapshot.state) or snapshot.imported_at or self._games.was_advised(game):
            self._run_script(fence, game, NO_COUNTS)
            return
        summary = summarise(self._games.commits(game, 0, snapshot.version), snapshot.state)
        self.store(game, summary, datetime.fromisoformat(snapshot.ended_at).timestamp(), fence)

    def store(self, game: str, summary: Summary, ended: float, fence: Fence | None = None) -> None:
        """Count a game with this summary, and note its result for the ratings. Raises Unavailable."""
        counts = msgspec.json.encode(summary.counts)
        result = msgspec.json.encode(summary.result) if summary.result else b""
        self._run_script(fence, game, counts, ended, result)

    def _run_script(
        self, fence: Fence | None, game: str, counts: bytes, ended: float = 0, result: bytes = b""
    ) -> None:
        """Run `count.lua`."""
        fence = fence or Fence(cursor_key("lobby", PROJECTOR), find_layout(self._redis).partition(game))
        with translate_redis_errors():
            keys = (*KEYS, fence.key, ENTRIES)
            self._script(keys, (game, counts, ended, result, *fence.arguments[:2], name_seal(game)))

    def forget_former(self) -> None:
        """Remove what earlier releases of this program stored in another form. Raises Unavailable."""
        with translate_redis_errors():
            boards = [name.decode() for name in self._redis.smembers(_FORMER + "boards")]
            names = ["counts", "games", "results", "waiting", "placed", "ratings", "rated", "boards"]
            names += [f"board:{board}" for board in boards]
            self._redis.unlink(*(_FORMER + name for name in names))

    def forget(self, game: str) -> None:
        """Take a game off the waiting list without counting it. Raises Unavailable."""
        with translate_redis_errors():
            self._redis.srem(WAITING, game)

    def remove(self, game: str) -> None:
        """Take back what a game has brought to the counts. Raises Unavailable."""
        self._run_script(None, game, NO_COUNTS)

    def is_settled(self, game: str) -> bool:
        """Return whether a game waits neither to be counted nor to be rated. Raises Unavailable."""
        with translate_redis_errors():
            return not self._redis.sismember(WAITING, game) and self._redis.zscore(RESULTS, game) is None

    def read_counts_of(self, game: str) -> dict[str, int]:
        """Return what a game counts; nothing if it was not counted. Raises Unavailable."""
        with translate_redis_errors():
            stored = self._redis.hget(GAMES, game)
        return msgspec.json.decode(stored, type=dict[str, int]) if stored else {}

    def seal(self, sealed: SealedGame) -> None:
        """List an archived game, and count it for good. May be called twice. Raises Unavailable."""
        self._archived.seal(sealed, COUNTS, GAMES)

    def unlist(self, sealed: SealedGame) -> None:
        """Take an archived game that comes back off the lists; it stays counted. Raises Unavailable."""
        self._archived.unlist(sealed)

    def unseal(self, sealed: SealedGame) -> None:
        """Take back what `seal` did. Raises Unavailable."""
        self._archived.unseal(sealed, COUNTS, GAMES)

    def read_counts(self) -> Mapping[str, int]:
        """Return every count that is not zero, by its name. Raises Unavailable."""
        counts: Counter[str] = Counter()
        with translate_redis_errors(), self._redis.pipeline(transaction=True) as together:
            together.hgetall(COUNTS)
            together.hgetall(ARCHIVED_COUNTS)
            for found in together.execute():
                counts.update({name.decode(): int(number) for name, number in found.items()})
        return {name: number for name, number in sorted(counts.items()) if number}

    def read_boards(self, most: int, min_games: int = 0) -> list[Board]:
        """Return all boards, each with its best `most` rows of at least so many games. Raises Unavailable."""
        return read_boards(self._redis, most, min_games)

    def count_waiting(self) -> int:
        """Return how many games wait to be counted. Raises Unavailable."""
        with translate_redis_errors():
            return int(self._redis.scard(WAITING))


class Tree(Struct, frozen=True):
    """Holds counts by the parts of their names, as folders hold files."""

    parts: dict[str, Tree | int]

    def branches(self) -> Iterator[tuple[str, Tree]]:
        """Yield the subtrees with their names, ordered by name."""
        for name, part in sorted(self.parts.items()):
            if isinstance(part, Tree):
                yield name, part

    def at(self, name: str) -> Tree:
        """Return the subtree of that name, or an empty one."""
        part = self.parts.get(name)
        return part if isinstance(part, Tree) else Tree({})

    def count(self, *names: str) -> int:
        """Return the count at that path, or 0."""
        *path, last = names
        tree = self
        for name in path:
            tree = tree.at(name)
        part = tree.parts.get(last, 0)
        return part if isinstance(part, int) else 0

    def leaves(self) -> dict[str, int]:
        """Return the counts that lie directly in this tree, by name."""
        return {name: part for name, part in self.parts.items() if isinstance(part, int)}


def grow_tree(counts: Mapping[str, int]) -> Tree:
    """Return a tree of counts from names such as `classic/2/seat/0/won`."""
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
    """Return the chi-square statistic of counts against an even distribution."""
    even = sum(counts) / len(counts)
    return sum((count - even) ** 2 / even for count in counts)


def exceedance(found: float) -> float:
    """Return the p-value of a chi-square statistic of six faces: its tail with five degrees of freedom."""
    half = found / 2
    return erfc(sqrt(half)) + 2 * sqrt(half / pi) * exp(-half) * (1 + found / 3)
