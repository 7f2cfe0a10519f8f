"""Defines one step of a task: what it works with and what it returns."""

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
    """Holds what a step works with: the games, and the function that asks a bot."""

    games: Games
    ask: AskBot


class TaskStep(Struct, frozen=True):
    """Says that `done` of `of` steps are done. A step with a result is the last one.

    `memory` is stored and given to the next step.
    """

    done: int
    of: int
    memory: bytes = b""
    result: bytes = b""


def retry_after_death(ask: AskInTime, clock: Callable[[], float] = monotonic) -> AskBot:
    """Return a function that asks a bot, and once more in the remaining time if its process died."""

    def ask_twice(level: Level, request: BotRequest) -> Decision:
        end = clock() + LONGEST_ANSWER
        try:
            return ask(level, request, LONGEST_ANSWER)
        except BotDied as death:
            return _ask_second_time(partial(ask, level, request, end - clock()), death)

    return ask_twice


def _ask_second_time(ask: Callable[[], Decision], death: BotDied) -> Decision:
    """Ask again and return the decision. If no time is left for that, raise the first failure."""
    try:
        return ask()
    except BotAbsent:
        raise death from None


def final_step(result: bytes, of: int = 1) -> TaskStep:
    """Return the step that finishes a task with this result."""
    return TaskStep(of, of, result=result)
