"""Finished games of every kind, played once per process."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from itertools import count
from random import Random
from typing import Any

from redis import Redis

from events.chain import link
from events.commands import Cancel, Choose, Leave, Return, Start, Void
from events.commit import Commit
from events.store import MemoryStore
from events.values import SeatPlan
from rules.decide import run_command
from rules.ruleset import Options
from rules.state import State
from service.container import build_backend
from service.fairness.clocks import CLOCK
from service.fairness.dice import dice_for
from service.fairness.export_file import write_file
from service.games.command_limits import MOST_CHANGES, MOST_FORKS
from service.games.deadlines import ABANDONED, NOT_FILLED
from service.games.games import Games
from service.games.snapshots import apply_commit
from service.games.writer import Caller
from service.history.export import GameFiles
from service.text import LONGEST_ENTROPY, LONGEST_NAME
from tests.support.forgeries import Raws
from tests.support.games import (
    ENDLESS,
    ManualClock,
    answer_at_random,
    make_games,
    numbered_ids,
    numbered_seeds,
    play_answers,
    play_game,
)
from workers.turns import TurnPlayer

GameOptions = tuple[tuple[str, Any], ...]
# The edition, how many play, the options, and what the answers are drawn from.
Table = tuple[str, int, GameOptions, int]


@cache
def finished_log(
    edition: str = "classic", players: int = 2, options: GameOptions = (), seed: int = 1
) -> tuple[str, Sequence[Commit], str]:
    """The id, the commits as they are stored, and the seed."""
    store = MemoryStore()
    games = make_games(store)
    game = play_game(games, edition, dict(options), players, seed)
    return game, tuple(store.read(game)), games.snapshot(game).state.seed


def finished_file(
    edition: str = "classic", players: int = 2, options: GameOptions = (), seed: int = 1
) -> bytes:
    """As anybody may download it."""
    return write_file(finished_log(edition, players, options, seed)[1])


@cache
def long_log(forks: int, edition: str = "modern", players: int = 6) -> tuple[str, Sequence[Commit], str]:
    """A fork of a fork, so many times over, of people who do all that W14 lets them repeat.

    Its id, the commits as they are stored, and the seed. With one fork 777 commits, with ten 3,846.
    """
    store = MemoryStore()
    games = make_games(store)
    # Names and entropy of the greatest length, in letters of four bytes.
    talkative = [SeatPlan(name="\U0001f3b2" * LONGEST_NAME, entropy="\U0001f3b2" * LONGEST_ENTROPY)] * players
    game = games.create(edition, {}, talkative).game
    for _ in range(forks):
        _repeat_all(games, game, players)
        game = GameFiles(games).forks.fork(game, games.snapshot(game).version - 1, talkative).game
    _repeat_all(games, game, players)
    return game, tuple(store.read(game)), games.snapshot(game).state.seed


def _repeat_all(games: Games, game: str, players: int) -> None:
    """All leave and return, and all but one change their minds, as often as they may; then they play."""
    for seat in range(players):
        for _ in range(MOST_CHANGES):
            games.execute(game, Caller(seat), Leave(seat, for_good=False))
            games.execute(game, Caller(seat), Return(seat))
    for seat in range(players - 1):
        for number in range(MOST_CHANGES):
            games.execute(game, Caller(seat), Void(seat, agrees=number % 2 == 0))
    for _ in play_answers(games, game):
        pass


@cache
def longest_log(commits: int) -> tuple[str, Sequence[Commit], str]:
    """A game from before W14, in which people changed their minds until it had so many commits."""
    game, log, seed = long_log(MOST_FORKS - 1)
    store = MemoryStore()
    games = make_games(store)
    before_last_answer = next(
        number for number, commit in reversed([*enumerate(log)]) if isinstance(commit.command, Choose)
    )
    store.create_with_history(game, log[:before_last_answer], {"seed": seed})
    snapshot = games.snapshot(game)
    for number in range(commits - len(log)):
        command = Void(0, agrees=number % 2 == 0)
        dice = dice_for(bytes.fromhex(seed), snapshot.state, command)
        table = run_command(snapshot.state, command, dice)
        commit = link(
            Commit(
                version=snapshot.version + 1,
                at=snapshot.changed_at,
                by="seat-0",
                rules=snapshot.state.release,
                command=command,
                events=tuple(table.events),
                prev=snapshot.head,
            )
        )
        store.append(game, commit)
        snapshot = apply_commit(snapshot, commit, table.state)
    for _ in play_answers(games, game):
        pass
    return game, tuple(store.read(game)), seed


def long_file(forks: int) -> bytes:
    """As anybody may download it."""
    return write_file(long_log(forks)[1])


def ends_apart() -> dict[Table, str]:
    """What to put for games of three editions that end one after the other, and when each does."""
    ends = dict[str, Table]()
    for edition in ("classic", "cards", "modern"):
        tables = ((edition, 2, (), seed) for seed in count(1))
        ended, table = next((end, table) for table in tables if (end := _find_end(table)) not in ends)
        ends[ended] = table
    return {table: ended for ended, table in sorted(ends.items())}


def _find_end(table: Table) -> str:
    return str(json.loads(finished_file(*table).splitlines()[0])["ended"])


def put_finished(
    memory: Redis, edition: str = "classic", players: int = 2, options: GameOptions = (), seed: int = 1
) -> str:
    """Into the log and the list; nobody holds a token."""
    game, commits, revealed = finished_log(edition, players, options, seed)
    backend = build_backend(memory)
    backend.store.create_with_history(game, commits, {"seed": revealed})
    backend.lobby.update(backend.games.snapshot(game))
    say_that_all_are_listed(memory)
    return game


def say_that_all_are_listed(memory: Redis) -> None:
    """As the reconciler does, before which nobody is sent what is listed."""
    lobby = build_backend(memory).lobby
    lobby.begin_filling("a test")
    lobby.mark_whole("a test")


PEOPLE = (SeatPlan(name="Anna", entropy="clover"), SeatPlan(name="Ben"))
WITH_BOT = (SeatPlan(name="Anna"), SeatPlan(bot="greedy"))
WITH_REMOTE = (SeatPlan(name="Prog", seconds=5, fallback="greedy"), SeatPlan(name="Ben"))
TILES: Options = {"tiles": 6}


class RunningClock(ManualClock):
    """No two commits are made at one time: which comes first is then part of the story."""

    def __call__(self) -> datetime:
        self.forward(0.001)
        return self.now


class Evening:
    """A service with a worker, and a clock that is set by hand."""

    def __init__(self) -> None:
        self.clock = RunningClock()
        store = MemoryStore()
        self.games = Games(store, self.clock, numbered_seeds(), numbered_ids(store))
        self._worker = TurnPlayer(self.games, self.clock)
        self._random = Random(5)

    def open(self, seats: Sequence[SeatPlan], edition: str = "classic", **options: Any) -> str:
        return self.games.create(edition, options, list(seats)).game

    def state(self, game: str) -> State:
        return self.games.snapshot(game).state

    def play(self, game: str, answers: int = 10_000, silent: Collection[int] = ()) -> str:
        """Up to so many answers of people; those who are silent let their time run out."""
        while answers and self.state(game).status == "playing":
            self._worker.play_turns(game, ENDLESS)
            answers -= self._let_one_answer(game, silent)
        return game

    def _let_one_answer(self, game: str, silent: Collection[int]) -> int:
        snapshot = self.games.snapshot(game)
        if not snapshot.people_asked:
            return 0
        waits = snapshot.deadline is not None and {*snapshot.people_asked} <= {*silent}
        self.clock.forward(60 if waits else 1)
        if not waits:
            answer_at_random(self.games, game, self._random)
        return 1

    def fork(self, game: str, seats: Sequence[SeatPlan], at: int = 0) -> str:
        half = self.games.snapshot(game).version // 2
        return GameFiles(self.games).forks.fork(game, at or half, list(seats)).game

    def close(self, game: str, reason: str) -> str:
        self.clock.forward(10**6)
        assert self.games.close(game, reason, CLOCK, self.games.snapshot(game).version)
        return game

    def file(self, game: str) -> bytes:
        return GameFiles(self.games).export(game).file


def _people(evening: Evening) -> str:
    return evening.play(evening.open(PEOPLE))


def _cards(evening: Evening) -> str:
    return evening.play(evening.open((*PEOPLE, SeatPlan(bot="random")), "cards"))


def _tiles(evening: Evening) -> str:
    return evening.play(evening.open((*PEOPLE, SeatPlan(bot="random")), "royale", **TILES))


def _hidden_tiles(evening: Evening) -> str:
    """Both tiles with something sealed."""
    return evening.play(evening.open(PEOPLE, "royale", tile_codes=("A1", "G1"), start_seat=1))


def _bots(evening: Evening) -> str:
    return evening.play(evening.open(WITH_BOT, "modern"))


def _late_comers(evening: Evening) -> str:
    game = evening.open((SeatPlan(name="Anna"), SeatPlan(), SeatPlan()), "royale", **TILES)
    evening.games.sit(game, "Ben", "a long walk")
    evening.games.execute(game, Caller(1), Leave(1, for_good=False))
    evening.games.sit(game, "Carla", "rain")
    evening.games.execute(game, Caller(0), Start(0, "random"))
    return evening.play(game)


def _remote(evening: Evening) -> str:
    return evening.play(evening.open(WITH_REMOTE, on_timeout="takeover:random"), silent=[0])


def _remote_with_tiles(evening: Evening) -> str:
    return evening.play(evening.open(WITH_REMOTE, "royale", **TILES), silent=[0])


def _remote_in_a_fork(evening: Evening) -> str:
    origin = evening.play(evening.open(WITH_REMOTE), silent=[0])
    return evening.play(evening.fork(origin, (PEOPLE[1], WITH_REMOTE[0])), silent=[1])


def _timeouts(evening: Evening) -> str:
    options = {"total_seconds": 90, "increment_seconds": 2, "turn_seconds": 30}
    return evening.play(evening.open(PEOPLE, "classic", **options), silent=[0])


def _left_thinking(evening: Evening) -> str:
    """W10: somebody leaves in the middle of a thought, and comes back to it or not; then time runs out."""
    game = evening.open(PEOPLE, "cards", total_seconds=200, increment_seconds=1)
    evening.play(game, 3)
    for pause in (20, 15):
        evening.clock.forward(pause)
        seat = evening.state(game).people_asked[0]
        evening.games.execute(game, Caller(seat), Leave(seat, for_good=False))
        evening.clock.forward(5)
        if pause == 20:
            evening.games.execute(game, Caller(seat), Return(seat))
        evening.play(game, 4)
    return evening.play(game, silent=[0, 1])


def _takeover(evening: Evening) -> str:
    game = evening.open(PEOPLE, "royale", turn_seconds=30, on_timeout="takeover:greedy", **TILES)
    evening.play(game, 6, silent=[0])
    evening.games.execute(game, Caller(0), Return(0))
    return evening.play(game)


def _departures(evening: Evening) -> str:
    game = evening.open((*PEOPLE, SeatPlan(name="Carla")), "cards", sequential=True)
    evening.play(game, 3)
    evening.games.execute(game, Caller(1), Leave(1, for_good=False))
    evening.play(game, 3)
    evening.games.execute(game, Caller(2), Leave(2, for_good=True))
    evening.play(game, 3)
    evening.games.execute(game, Caller(1), Return(1))
    return evening.play(game)


def _voided(evening: Evening) -> str:
    game = evening.play(evening.open((*PEOPLE, SeatPlan(bot="random"))), 6)
    for seat in (0, 1):
        evening.games.execute(game, Caller(seat), Void(seat, agrees=True))
    return game


def _voided_tiles(evening: Evening) -> str:
    game = evening.play(evening.open(PEOPLE, "royale", **TILES), 6)
    for seat, agrees in ((0, True), (0, False), (1, True), (0, True)):
        evening.games.execute(game, Caller(seat), Void(seat, agrees=agrees))
    return game


def _cancelled(evening: Evening) -> str:
    game = evening.open((SeatPlan(name="Anna"), SeatPlan()))
    evening.games.execute(game, Caller(0), Cancel(0))
    return game


def _not_filled(evening: Evening) -> str:
    return evening.close(evening.open((SeatPlan(name="Anna"), SeatPlan())), NOT_FILLED)


def _abandoned(evening: Evening) -> str:
    return evening.close(evening.play(evening.open(PEOPLE, "royale", **TILES), 8), ABANDONED)


def _forks(evening: Evening) -> str:
    origin = evening.play(evening.open((*PEOPLE, SeatPlan(bot="random")), "royale", **TILES))
    first = evening.play(evening.fork(origin, (*WITH_BOT, SeatPlan(name="Dora")), 12))
    return evening.play(evening.fork(first, (SeatPlan(bot="greedy"), *PEOPLE), 20))


def _fork_of_cards(evening: Evening) -> str:
    return evening.play(evening.fork(evening.play(evening.open(PEOPLE, "cards")), WITH_BOT))


KINDS: dict[str, Callable[[Evening], str]] = {
    kind.__name__.strip("_").replace("_", " "): kind
    for kind in (
        *(_people, _cards, _tiles, _hidden_tiles, _bots, _late_comers, _remote, _remote_with_tiles),
        *(
            _remote_in_a_fork,
            _timeouts,
            _left_thinking,
            _takeover,
            _departures,
            _voided,
            _voided_tiles,
            _cancelled,
        ),
        *(_not_filled, _abandoned, _forks, _fork_of_cards),
    )
}


@cache
def evening_file(kind: str) -> bytes:
    """As anybody may download it."""
    evening = Evening()
    return evening.file(KINDS[kind](evening))


def evening_game(kind: str) -> Raws:
    """A fresh copy of its commits."""
    return [json.loads(line) for line in evening_file(kind).splitlines()[1:]]
