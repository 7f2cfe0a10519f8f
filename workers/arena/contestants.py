"""Contestants of the arena: our levels, and bots from other programs."""

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
from workers.arena.settings import Setting
from workers.bots import BOTS
from workers.bots.protocol import Level

# For the first answer, too, which may have to load something.
LONGEST_ANSWER = 30.0
LONGEST_LINE = 65_536
LONGEST_QUOTE = 200
EXPECTED = '{"choice": "…"} on a line'


class BadBot(Exception):
    """It gave no answer that can be played; says why."""


class ForeignBot:
    """Started when it is first asked; it ends with its input."""

    def __init__(self, name: str, command: Sequence[str], longest: float = LONGEST_ANSWER) -> None:
        self._name = name
        self._command = command
        self._longest = longest
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    @classmethod
    def from_text(cls, name: str, line: str) -> ForeignBot:
        return cls(name, shlex.split(line))

    def answer(self, state: State, seat: int, version: int) -> str:
        """Raises BadBot."""
        options = choices(state, seat)
        question = {"table": render_table(state, seat, version), "seat": seat, "options": options}
        choice = self._read_choice(self._exchange(msgspec.json.encode(question)))
        if choice not in options:
            raise BadBot(f"{self._name} answered {choice!r}, which is none of {', '.join(options)}")
        return choice

    def _read_choice(self, line: bytes) -> str:
        choice = _find_choice(line)
        if choice is None:
            sent = line[:LONGEST_QUOTE].decode(errors="replace")
            raise BadBot(f"{self._name} sent {sent!r}, which is no {EXPECTED}")
        return choice

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, line: bytes) -> bytes:
        process = self._process or self._start()
        try:
            os.write(_number(process.stdin), line + b"\n")
            return self._read_line(_number(process.stdout))
        except OSError as fault:
            raise BadBot(f"{self._name} has ended") from fault

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as fault:
            raise BadBot(f"{self._name} does not start: {fault}") from fault
        return self._process

    def _read_line(self, source: int) -> bytes:
        end = monotonic() + self._longest
        while b"\n" not in self._read:
            ready, _, _ = select.select([source], [], [], max(0.0, end - monotonic()))
            more = os.read(source, LONGEST_LINE) if ready else b""
            if not more or len(self._read) > LONGEST_LINE:
                raise BadBot(f"{self._name} {'has ended' if ready else 'took too long'}")
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line


def _number(pipe: Any) -> int:
    return int(pipe.fileno())


def _find_choice(line: bytes) -> str | None:
    """A text alone will do; None where there is none."""
    try:
        said = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    choice = said.get("choice") if isinstance(said, dict) else said
    return choice if isinstance(choice, str) else None


LASVEGAS = "lasvegas:"
POLICIES = ("greedy_first", "greedy_score", "random_play")
# All that it knows: the game of 2012, without its variants.
LASVEGAS_EDITION = "classic"
LASVEGAS_LACKS = ("neutral_dice", "chip_cards")


class ForeignPosition(Struct, frozen=True):
    """A seat that is asked; nobody who answers looks further than its view."""

    state: State
    seat: int
    version: int


def _anywhere(setting: Setting) -> bool:
    return True


class Contestant(Struct, frozen=True):
    """`luck` is what this build draws from at this position; `plays` says at which tables it can sit down."""

    name: str
    build: str
    answer: Callable[[ForeignPosition, bytes], str]
    plays: Callable[[Setting], bool] = _anywhere


class UnknownContestant(Exception):
    """Neither one of our levels nor a command, or a package that is not there."""


@cache
def find_contestant(name: str) -> Contestant:
    """A level by its name, `lasvegas:POLICY`, or `NAME=COMMAND`: started once for each process."""
    if name in BOTS:
        return _level(BOTS[name])
    if name.startswith(LASVEGAS):
        return _of_lasvegas(name)
    label, _, command_line = name.partition("=")
    if not command_line:
        raise UnknownContestant(f"{name} is no bot: it is one of {', '.join(BOTS)}, or NAME=COMMAND")
    return _foreign(label, ForeignBot.from_text(label, command_line))


def _of_lasvegas(name: str) -> Contestant:
    policy = name.removeprefix(LASVEGAS)
    if policy not in POLICIES:
        raise UnknownContestant(f"{name} is no bot: of lasvegas there are {', '.join(POLICIES)}")
    if find_spec("lasvegas") is None:
        raise UnknownContestant(
            f"{name} needs the package lasvegas: `pip install '.[bench]'` from the checkout brings it"
        )
    command = (sys.executable, "-m", "workers.arena.lasvegas_bot", policy)
    return replace(_foreign(name, ForeignBot(name, command)), plays=_lasvegas_plays)


def _level(level: Level) -> Contestant:
    def answer(at: ForeignPosition, luck: bytes) -> str:
        return level.choose(view(at.state, at.seat), at.seat, Random(luck))

    return Contestant(level.name, level.build, answer)


def _foreign(name: str, bot: ForeignBot) -> Contestant:
    return Contestant(name, "", lambda at, luck: bot.answer(at.state, at.seat, at.version))


def _lasvegas_plays(setting: Setting) -> bool:
    lacks = any(setting.options.get(name) for name in LASVEGAS_LACKS)
    return setting.edition == LASVEGAS_EDITION and not lacks


def label_of(name: str) -> str:
    """What a contestant is called in tables."""
    return name.partition("=")[0]
