"""What a task is worked on with, and what a step of it comes to."""

from __future__ import annotations

from msgspec import Struct

from service.play.games import Games
from workers.bots.asking import AskBot, BotDied, Request
from workers.bots.decision import Decision, Level


class Desk(Struct, frozen=True):
    games: Games
    ask: AskBot


class Step(Struct, frozen=True):
    """`done` of `of` steps; with a result it is the last."""

    done: int
    of: int
    memory: bytes = b""
    result: bytes = b""


def ask_again(ask: AskBot) -> AskBot:
    """Whoever died over the question, perhaps of something else, is asked once more."""

    def ask_twice(level: Level, request: Request) -> Decision:
        try:
            return ask(level, request)
        except BotDied:
            return ask(level, request)

    return ask_twice


def finish(result: bytes, of: int = 1) -> Step:
    return Step(of, of, result=result)
