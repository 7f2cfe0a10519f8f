"""One step of a task: what it works with and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic

from msgspec import Struct

from service.games.games import Games
from workers.bots.asking import AskBot, BotAbsent, BotDied, BotRequest
from workers.bots.fallback import AskInTime
from workers.bots.protocol import Decision, Level
from workers.bots.subprocess import LONGEST_ANSWER


class TaskContext(Struct, frozen=True):
    games: Games
    ask: AskBot


class TaskStep(Struct, frozen=True):
    """`done` of `of` steps; with a result it is the last."""

    done: int
    of: int
    memory: bytes = b""
    result: bytes = b""


def ask_again(ask: AskInTime, clock: Callable[[], float] = monotonic) -> AskBot:
    """Whoever died over the question, perhaps of something else, is asked once more in what time is left."""

    def ask_twice(level: Level, request: BotRequest) -> Decision:
        end = clock() + LONGEST_ANSWER
        try:
            return ask(level, request, LONGEST_ANSWER)
        except BotDied as death:
            return _insist(partial(ask, level, request, end - clock()), death)

    return ask_twice


def _insist(ask: Callable[[], Decision], death: BotDied) -> Decision:
    """That there was no time to ask again does not excuse the death."""
    try:
        return ask()
    except BotAbsent:
        raise death from None


def finish(result: bytes, of: int = 1) -> TaskStep:
    return TaskStep(of, of, result=result)
