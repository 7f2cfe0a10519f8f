"""Imports games that were played elsewhere, after verifying them."""

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

# Of the members that these checks are about; what the rules decided follows from them.
_TOLD = ("by", "command", "bot")
# How far the clock of another service may be ahead of ours.
AHEAD = timedelta(minutes=5)


def find_unfit(commits: Sequence[Commit], now: datetime) -> Iterator[tuple[int, str]]:
    """Versions with what nobody could have said here, each with the member and why."""
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
    """An open seat has no name, and a player's is in none of the files."""
    is_name = place.startswith("command.") and place.endswith(".name") and text
    return find_name_fault(text) if is_name else find_text_fault(text)


def _walk(place: str, thing: Any) -> Iterator[tuple[str, str]]:
    """Every text in it, with where it stands."""
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
    """It proves no game; `commit` is the first that does not fit, None where it is the file as a whole."""

    def __init__(self, why: str, commit: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.commit = commit


class OtherGame(Exception):
    """Another game has this id already."""


class Imported(Struct, frozen=True):
    """`new` is False where the very game was here before."""

    game: str
    version: int
    verdict: Verdict
    new: bool


class Imports:
    def __init__(self, store: Store, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock

    def take_in(self, file: bytes) -> Imported:
        """Nothing is stored unless all of it holds. Raises BadFile, OtherGame and Unavailable."""
        verdict, commits = _read_verified(file)
        for version, fault in find_unfit(commits, self._clock()):
            raise BadFile(fault, version)
        return Imported(verdict.game, len(commits), verdict, self._store_game(verdict.game, commits))

    def _store_game(self, game: str, commits: Sequence[Commit]) -> bool:
        """False where it is here already."""
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
        """The hash of the last covers all of them, and what is open proved itself."""
        there = self._store.read(game, len(commits) - 1, 1)
        return bool(there) and there[0].hash == commits[-1].hash


def _read_verified(file: bytes) -> tuple[Verdict, Sequence[Commit]]:
    """Raises BadFile."""
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
    try:
        return read_export(io.BytesIO(file))
    except UnreadableCommit as fault:
        raise BadFile(str(fault), fault.commit) from fault
    except Unreadable as fault:
        raise BadFile(str(fault)) from fault


def _check_written_so(commits: Sequence[Commit]) -> None:
    """Whether the store would give back what was given: an older format would be written in today's."""
    head = GENESIS
    for version, commit in enumerate(commits, 1):
        if not fits(commit, version, head):
            raise BadFile("it is written in a format that this server only reads", version)
        head = commit.hash


def _find_seed(commits: Sequence[Commit]) -> str:
    return next(event.seed for commit in commits for event in commit.events if isinstance(event, ENDINGS))
