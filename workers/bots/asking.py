"""A bot is asked: with what its seat sees, and with luck that belongs to this ask alone."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from msgspec import Struct

from rules.legal import choices
from rules.state import State
from workers.bots.decision import Level


class Request(Struct, frozen=True):
    level: str
    view: State
    seat: int
    luck: bytes


class BotFailed(Exception):
    """It gave no answer, or none that the rules allow; says why."""


# Raises BotFailed.
AskBot = Callable[[Level, Request], str]


def ask_here(level: Level, request: Request) -> str:
    """In this process."""
    try:
        choice = level.choose(request.view, request.seat, Random(request.luck))
    except Exception as fault:
        raise BotFailed(f"raised {type(fault).__name__}") from fault
    if choice not in choices(request.view, request.seat):
        raise BotFailed("gave an answer that is not allowed")
    return choice
