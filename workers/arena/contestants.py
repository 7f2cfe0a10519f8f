"""Who plays in the arena: our levels, and bots of others that are commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from rules.state import State
from rules.view import view
from workers.arena.foreign import ForeignBot
from workers.arena.settings import Setting
from workers.bots import BOTS
from workers.bots.decision import Level

LASVEGAS = "lasvegas:"
POLICIES = ("greedy_first", "greedy_score", "random_play")
# All that it knows: the game of 2012, without its variants.
LASVEGAS_EDITION, LASVEGAS_LACKS = "classic", ("neutral_dice", "chip_cards")


class Position(Struct, frozen=True):
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
    answer: Callable[[Position, bytes], str]
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
    def answer(at: Position, luck: bytes) -> str:
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
