"""What a task is worked on with, and what a step of it comes to."""

from __future__ import annotations

from msgspec import Struct

from service.play.games import Games
from workers.bots.asking import AskBot


class Desk(Struct, frozen=True):
    games: Games
    ask: AskBot


class Step(Struct, frozen=True):
    """`done` of `of` steps; with a result it is the last."""

    done: int
    of: int
    memory: bytes = b""
    result: bytes = b""


def finish(result: bytes, of: int = 1) -> Step:
    return Step(of, of, result=result)
