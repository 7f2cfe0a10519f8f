"""Imports games that were played elsewhere, after verifying them: `Imports.take_in`."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.chain import GENESIS, fits
from events.commit import ENDINGS, Commit, Unreadable, convert_raw
from events.store import Conflict, Store
from service.fairness.export_file import EncodedCommits, UnreadableCommit, arrange_options, read_export
from service.fairness.verify import Verdict
from service.fairness.verify_files import verify_file
from service.games.command_limits import Repetitions
from service.games.tokens import SEED
from service.text import find_name_fault, find_text_fault
from service.timestamps import stamp

# The members of a commit that are checked; what the rules decided follows from them.
_TOLD = ("by", "command", "bot")
# How far the clock of another service may be ahead of ours.
AHEAD = timedelta(minutes=5)


def find_unfit(commits: Sequence[Commit], now: datetime) -> Iterator[tuple[int, str]]:
    """Yield the version and the fault of every commit that this service would not have accepted.

    The rules are checked before; this checks times, texts and repetitions.
    """
    latest = stamp(now + AHEAD)
    repetitions = Repetitions()
    for commit in commits:
        if fault := repetitions.find_fault(commit.command):
            yield commit.version, fault
        repetitions.add(commit.command)
        if commit.at > latest:
            yield commit.version, f"at: {commit.at} is yet to come"
        for member in _TOLD:
            for place, text in _walk(member, msgspec.to_builtins(getattr(commit, member))):
                if fault := _find_fault(place, text):
                    yield commit.version, f"{place}: {fault}"


def _find_fault(place: str, text: str) -> str:
    """Return what is wrong with a text, or an empty one; names of people have rules of their own.

    An empty name is that of an open seat, or of a player, whose name is in no file.
    """
    is_name = place.startswith("command.") and place.endswith(".name") and text
    return find_name_fault(text) if is_name else find_text_fault(text)


def _walk(place: str, thing: Any) -> Iterator[tuple[str, str]]:
    """Yield every text in a value, with the path to it."""
    if isinstance(thing, str):
        yield place, thing
    elif isinstance(thing, dict):
        for name, item in thing.items():
            yield from _walk(f"{place}.{name}", item)
    elif isinstance(thing, (list, tuple)):
        for number, item in enumerate(thing):
            yield from _walk(f"{place}.{number}", item)


_GAME = re.compile(r"g_[A-Za-z0-9_-]{22}", re.ASCII)


class BadFile(Exception):
    """Says that a file does not prove a game.

    `commit` is the first commit that is wrong, None if it is the file as a whole.
    """

    def __init__(self, why: str, commit: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.commit = commit


class OtherGame(Exception):
    """Says that another game has this id already."""


class Imported(Struct, frozen=True):
    """Holds an imported game and its verdict; `new` is False if this game was here before."""

    game: str
    version: int
    verdict: Verdict
    new: bool


class Imports:
    """Takes in files of games that were played elsewhere."""

    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        """Store games in this store."""
        self._store = store
        self._clock = clock

    def take_in(self, file: bytes) -> Imported:
        """Verify a file and store its game; store nothing if any part of it is wrong.

        Decides the whole game again, which takes a while. Raises BadFile, OtherGame and Unavailable.
        """
        verdict, commits = _read_verified(file)
        for version, fault in find_unfit(commits, self._clock()):
            raise BadFile(fault, version)
        return Imported(verdict.game, len(commits), verdict, self._store_game(verdict.game, commits))

    def _store_game(self, game: str, commits: Sequence[Commit]) -> bool:
        """Store a game; return False if it is here already. Raises OtherGame."""
        first, *others = commits
        marked = replace(arrange_options(first), imported=stamp(self._clock()))
        try:
            self._store.create_with_history(game, [marked, *others], {SEED: _find_seed(commits)})
        except Conflict as fault:
            if not self._is_here(game, commits):
                raise OtherGame(game) from fault
            return False
        return True

    def _is_here(self, game: str, commits: Sequence[Commit]) -> bool:
        """Return whether the stored game is this one: the hash of the last commit covers all before it."""
        there = self._store.read(game, len(commits) - 1, 1)
        return bool(there) and there[0].hash == commits[-1].hash


def _read_verified(file: bytes) -> tuple[Verdict, Sequence[Commit]]:
    """Return the verdict on a file, and its commits. Raises BadFile if it is not verified."""
    export = _read(file)
    verdict = verify_file(export)
    if not verdict.ok:
        raise BadFile(verdict.fault or f"not checked: {verdict.unchecked}", verdict.version)
    if not _GAME.fullmatch(verdict.game):
        raise BadFile("no game is called so", 1)
    commits = [convert_raw(raw) for raw in export]
    _check_written_so(commits)
    return verdict, commits


def _read(file: bytes) -> EncodedCommits:
    """Return the commits of a file, undecoded. Raises BadFile."""
    try:
        return read_export(io.BytesIO(file))
    except UnreadableCommit as fault:
        raise BadFile(str(fault), fault.commit) from fault
    except Unreadable as fault:
        raise BadFile(str(fault)) from fault


def _check_written_so(commits: Sequence[Commit]) -> None:
    """Raise BadFile if the store would write a commit differently, as it does with one of an older format."""
    head = GENESIS
    for version, commit in enumerate(commits, 1):
        if not fits(commit, version, head):
            raise BadFile("it is written in a format that this server only reads", version)
        head = commit.hash


def _find_seed(commits: Sequence[Commit]) -> str:
    """Return the seed that the end of the game reveals."""
    return next(event.seed for commit in commits for event in commit.events if isinstance(event, ENDINGS))
