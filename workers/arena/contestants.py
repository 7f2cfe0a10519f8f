"""Who plays in the arena: our levels, and bots of others that are commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from random import Random

from msgspec import Struct

from rules.state import State
from rules.view import view
from workers.arena.foreign import ForeignBot
from workers.bots import BOTS
from workers.bots.decision import Level

LASVEGAS = "lasvegas:"


class Position(Struct, frozen=True):
    """A seat that is asked; nobody who answers looks further than its view."""

    state: State
    seat: int
    version: int


class Contestant(Struct, frozen=True):
    """`luck` is what this build draws from at this position."""

    name: str
    build: str
    answer: Callable[[Position, bytes], str]


class UnknownContestant(Exception):
    """Neither one of our levels nor a command."""


@cache
def find_contestant(name: str) -> Contestant:
    """A level by its name, `lasvegas:POLICY`, or `NAME=COMMAND`: started once for each process."""
    if name in BOTS:
        return _level(BOTS[name])
    if name.startswith(LASVEGAS):
        command = (sys.executable, "-m", "workers.arena.lasvegas_bot", name.removeprefix(LASVEGAS))
        return _foreign(name, ForeignBot(name, command))
    label, _, command_line = name.partition("=")
    if not command_line:
        raise UnknownContestant(f"{name} is no bot: it is one of {', '.join(BOTS)}, or NAME=COMMAND")
    return _foreign(label, ForeignBot.from_text(label, command_line))


def _level(level: Level) -> Contestant:
    def answer(at: Position, luck: bytes) -> str:
        return level.choose(view(at.state, at.seat), at.seat, Random(luck))

    return Contestant(level.name, level.build, answer)


def _foreign(name: str, bot: ForeignBot) -> Contestant:
    return Contestant(name, "", lambda at, luck: bot.answer(at.state, at.seat, at.version))


def label_of(name: str) -> str:
    """What a contestant is called in tables."""
    return name.partition("=")[0]
