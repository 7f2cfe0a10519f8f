"""Finds the contestants of the arena: our levels, and bots of other programs."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from random import Random
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rules import State, view
from rules.legal import choices
from service.games.table_view import render_table
from service.languages.catalogue import ENGLISH
from workers.arena.settings import Setting
from workers.bots import BOTS
from workers.bots.protocol import Level

# Seconds, also for the first answer, before which the program may have to load something.
LONGEST_ANSWER = 30.0
LONGEST_LINE = 65_536
LONGEST_QUOTE = 200
EXPECTED = '{"choice": "…"} on a line'


class BadBot(Exception):
    """Says why a bot gave no answer that can be played."""


class ForeignBot:
    """Runs a bot of another program: one JSON line in and one out for each question.

    The program is started by the first question, and ends when its input is closed.
    """

    def __init__(self, name: str, command: Sequence[str], longest: float = LONGEST_ANSWER) -> None:
        self._name = name
        self._command = command
        self._longest = longest
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    @classmethod
    def from_text(cls, name: str, line: str) -> ForeignBot:
        """Return the bot with a command as one types it in a shell."""
        return cls(name, shlex.split(line))

    def answer(self, state: State, seat: int, version: int) -> str:
        """Return the program's choice for this seat. Raises BadBot."""
        options = choices(state, seat)
        question = {"table": render_table(state, seat, version), "seat": seat, "options": options}
        choice = self._read_choice(self._exchange(ENGLISH.encoder.encode(question)))
        if choice not in options:
            raise BadBot(f"{self._name} answered {choice!r}, which is none of {', '.join(options)}")
        return choice

    def _read_choice(self, line: bytes) -> str:
        """Return the choice in the line. Raises BadBot if there is none."""
        choice = _find_choice(line)
        if choice is None:
            sent = line[:LONGEST_QUOTE].decode(errors="replace")
            raise BadBot(f"{self._name} sent {sent!r}, which is no {EXPECTED}")
        return choice

    def stop(self) -> None:
        """Kill the program if it runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, line: bytes) -> bytes:
        """Send a line and return the line that comes back. Raises BadBot."""
        process = self._process or self._start()
        try:
            os.write(_descriptor(process.stdin), line + b"\n")
            return self._read_line(_descriptor(process.stdout))
        except OSError as fault:
            raise BadBot(f"{self._name} has ended") from fault

    def _start(self) -> subprocess.Popen[bytes]:
        """Start the program. Raises BadBot."""
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as fault:
            raise BadBot(f"{self._name} does not start: {fault}") from fault
        return self._process

    def _read_line(self, source: int) -> bytes:
        """Return the next line of the program.

        Raises BadBot if it ends, writes too much or takes too long.
        """
        end = monotonic() + self._longest
        while b"\n" not in self._read:
            ready, _, _ = select.select([source], [], [], max(0.0, end - monotonic()))
            more = os.read(source, LONGEST_LINE) if ready else b""
            if not more or len(self._read) > LONGEST_LINE:
                raise BadBot(f"{self._name} {'has ended' if ready else 'took too long'}")
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line


def _descriptor(pipe: Any) -> int:
    """Return the file descriptor of a pipe."""
    return int(pipe.fileno())


def _find_choice(line: bytes) -> str | None:
    """Return the choice from an object with `choice`, or from a plain string; None if there is none."""
    try:
        said = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    choice = said.get("choice") if isinstance(said, dict) else said
    return choice if isinstance(choice, str) else None


LASVEGAS = "lasvegas:"
POLICIES = ("greedy_first", "greedy_score", "random_play")
# The package knows only the game of 2012, without its variants.
LASVEGAS_EDITION = "classic"
LASVEGAS_LACKS = ("neutral_dice", "chip_cards")


class ForeignPosition(Struct, frozen=True):
    """Describes a seat that is asked. A bot may look only at the seat's view of the state."""

    state: State
    seat: int
    version: int


def _plays_anywhere(setting: Setting) -> bool:
    """Return True: our levels play at every kind of table."""
    return True


class Contestant(Struct, frozen=True):
    """Describes a bot: `answer` takes a position and a random seed, `plays` says which tables it can play."""

    name: str
    build: str
    answer: Callable[[ForeignPosition, bytes], str]
    plays: Callable[[Setting], bool] = _plays_anywhere


class UnknownContestant(Exception):
    """Says that a name is neither a level nor a command, or that a package is not installed."""


@cache
def find_contestant(name: str) -> Contestant:
    """Return the contestant of this name: a level, `lasvegas:POLICY`, or `NAME=COMMAND`.

    A program is started once for each process. Raises UnknownContestant.
    """
    if name in BOTS:
        return _make_level(BOTS[name])
    if name.startswith(LASVEGAS):
        return _make_lasvegas(name)
    label, _, command_line = name.partition("=")
    if not command_line:
        raise UnknownContestant(f"{name} is no bot: it is one of {', '.join(BOTS)}, or NAME=COMMAND")
    return _make_foreign(label, ForeignBot.from_text(label, command_line))


def _make_lasvegas(name: str) -> Contestant:
    """Return a bot of the package `lasvegas`. Raises UnknownContestant."""
    policy = name.removeprefix(LASVEGAS)
    if policy not in POLICIES:
        raise UnknownContestant(f"{name} is no bot: of lasvegas there are {', '.join(POLICIES)}")
    if find_spec("lasvegas") is None:
        raise UnknownContestant(
            f"{name} needs the package lasvegas: `pip install '.[bench]'` from the checkout brings it"
        )
    command = (sys.executable, "-m", "workers.arena.lasvegas_bot", policy)
    return replace(_make_foreign(name, ForeignBot(name, command)), plays=_lasvegas_plays)


def _make_level(level: Level) -> Contestant:
    """Return one of our levels as a contestant."""

    def answer(at: ForeignPosition, luck: bytes) -> str:
        return level.choose(view(at.state, at.seat), at.seat, Random(luck))

    return Contestant(level.name, level.build, answer)


def _make_foreign(name: str, bot: ForeignBot) -> Contestant:
    """Return a program as a contestant."""
    return Contestant(name, "", lambda at, luck: bot.answer(at.state, at.seat, at.version))


def _lasvegas_plays(setting: Setting) -> bool:
    """Return whether the package `lasvegas` knows this edition with these options."""
    lacks = any(setting.options.get(name) for name in LASVEGAS_LACKS)
    return setting.edition == LASVEGAS_EDITION and not lacks


def label_of(name: str) -> str:
    """Return the name of a contestant as tables show it, without its command."""
    return name.partition("=")[0]
