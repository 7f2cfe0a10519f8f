"""Plays the ladder: each cell until a sequential test decides it, with a state that survives a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rules import EDITIONS
from service.catalog.bots import Strength, Verdict
from workers.arena.contestants import label_of
from workers.arena.matches import (
    Match,
    MatchOutcome,
    Runner,
    builds_of,
    interval,
    play_task,
    split_tasks,
    sum_up,
)
from workers.arena.settings import Options, Setting

# After so many games a cell is judged, rounded down to a multiple of the players.
JUDGED_AFTER = (60, 128, 196, 264, 332, 400)
# Standard errors by which a share must differ from an even one: Pocock's boundary for six judgements. A cell
# whose bots are equally strong is called stronger or weaker with a probability of 5 % in all.
BOUNDARY = 2.453


def judge(share: float, games: int, players: int) -> Verdict:
    """Return what so many games say about a share; empty if it may be an even one."""
    low, high = interval(share, games, BOUNDARY)
    even = 1 / players
    if low > even:
        return "stronger"
    return "weaker" if high < even else ""


def list_judgements(players: int) -> list[int]:
    """Return after how many games a cell is judged: each bot has had every seat equally often."""
    return [games - games % players for games in JUDGED_AFTER]


class Cell(Struct, frozen=True):
    """Identifies a cell, with all that its games depend on."""

    edition: str
    release: int
    options: Options
    players: int
    bots: tuple[str, str]
    builds: tuple[str, str]
    seed: int


class PlayedGames(Struct, frozen=True):
    """Holds one line of the state file: games of a cell, from the number `first` on."""

    cell: Cell
    first: int
    outcomes: tuple[MatchOutcome, ...]


def cell_of(match: Match) -> Cell:
    """Return the cell that a match belongs to."""
    setting = match.setting
    return Cell(
        edition=setting.edition,
        release=EDITIONS.newest[setting.edition].release,
        options=setting.options,
        players=setting.players,
        bots=(label_of(match.level), label_of(match.against)),
        builds=builds_of(match),
        seed=match.first_seed,
    )


class LadderState:
    """Keeps every game that was played in a file, one line for each task.

    Lines are only ever appended. A kill can tear the last line, which is cut off when the file is opened
    again, so at most one task is played twice.
    """

    def __init__(self, path: Path, resume: bool) -> None:
        self._path = path
        self._played: dict[bytes, list[MatchOutcome]] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if resume and path.exists():
            self._read()
        else:
            path.write_bytes(b"")

    def find(self, match: Match) -> list[MatchOutcome]:
        """Return the outcomes of the games of this match so far, in order."""
        return list(self._played.get(_encode(cell_of(match)), ()))

    def add(self, match: Match, outcomes: Iterable[MatchOutcome]) -> None:
        """Append outcomes of a match to the file."""
        cell = cell_of(match)
        known = self._played.setdefault(_encode(cell), [])
        line = _encode(PlayedGames(cell, len(known), tuple(outcomes)))
        with self._path.open("ab") as file:
            file.write(line + b"\n")
        known += outcomes

    def _read(self) -> None:
        """Read the file and cut off what a kill has torn."""
        written = self._path.read_bytes()
        whole = written[: written.rfind(b"\n") + 1]
        if whole != written:
            self._path.write_bytes(whole)
        for line in whole.splitlines():
            games = msgspec.json.decode(line, type=PlayedGames)
            known = self._played.setdefault(_encode(games.cell), [])
            if games.first == len(known):
                known += games.outcomes


def _encode(thing: object) -> bytes:
    """Return a value as JSON with its members in one order."""
    return msgspec.json.encode(thing, order="sorted")


def decide_cell(players: int, outcomes: Sequence[MatchOutcome]) -> tuple[Verdict, int]:
    """Return the verdict of a cell and after how many games it was found; an empty one if more are needed.

    The first judgement that decides counts, and after the last one the verdict is `open`.
    """
    judgements = list_judgements(players)
    for games in judgements:
        if len(outcomes) < games:
            return "", 0
        verdict = judge(fmean(one.won for one in outcomes[:games]), games, players)
        if verdict:
            return verdict, games
    return "open", judgements[-1]


def run_cell(
    match: Match,
    run: Runner,
    state: LadderState,
    tell: Callable[[int], None],
    is_over: Callable[[], bool],
) -> Strength | None:
    """Play a cell until it is decided, and return its result; None if time was over before.

    `tell` is called with the number of games that are over.
    """
    outcomes = state.find(match)
    for games in list_judgements(match.setting.players):
        block = replace(match, setting=_limit(match.setting, games))
        for more in run(play_task, split_tasks(block, len(outcomes))):
            outcomes += more
            state.add(match, more)
            tell(len(outcomes))
            if is_over():
                break
        verdict, decided = decide_cell(match.setting.players, outcomes)
        if verdict:
            return sum_up(match, outcomes[:decided], verdict)
        if is_over():
            break
    return None


def _limit(setting: Setting, games: int) -> Setting:
    """Return the setting with this number of games."""
    return replace(setting, games=games)
