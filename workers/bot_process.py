"""A process of its own for bots that think: what becomes of it does not harm the worker.

`python -m workers.bot_process LINE LEVELS THOUGHT CHOICE` answers on an inherited descriptor until nobody
asks any more; the last two are seconds, as in Limits.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from time import monotonic

import msgspec
from msgspec import Struct

from workers.bots.asking import BotFailed, Request, ask_here
from workers.bots.decision import Decision, Level
from workers.simulators import load_simulators

# Of processor time, so that no bot is weaker where others keep the machine busy.
LONGEST_THOUGHT = 1.0
# By the clock.
LONGEST_CHOICE = 3.0
# Who thinks lets others have the core so often: by itself a system may do so every four milliseconds only,
# however modest the process, and somebody's request would wait for that at each of its steps.
BREATH = 0.00025


class Reply(Struct, frozen=True):
    decision: Decision | None = None
    fault: str = ""


class Limits(Struct, frozen=True):
    """Seconds that an answer may take: of the processor, and by the clock."""

    thought: float = LONGEST_THOUGHT
    choice: float = LONGEST_CHOICE


def serve(line: Connection, levels: dict[str, Level], limits: Limits) -> None:
    """Until nobody asks any more, or wants to hear the answer."""
    with suppress(EOFError, ConnectionError):
        line.send_bytes(b"ready")
        while True:
            request = msgspec.json.decode(line.recv_bytes(), type=Request)
            line.send_bytes(msgspec.json.encode(_reply_in_time(levels[request.level], request, limits)))


def _reply_in_time(level: Level, request: Request, limits: Limits) -> Reply:
    """Nobody at a table waits for figures of every option."""
    signal.setitimer(signal.ITIMER_PROF, limits.choice if request.thorough else limits.thought)
    signal.signal(signal.SIGALRM, _breathe_until(monotonic() + limits.choice))
    signal.setitimer(signal.ITIMER_REAL, BREATH, BREATH)
    reply = _reply(level, request)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return reply


def _breathe_until(end: float) -> Callable[[int, object], None]:
    """By the clock the time is over at the end, and so is the process."""

    def breathe(_number: int, _frame: object) -> None:
        os.sched_yield()
        if monotonic() > end:
            signal.raise_signal(signal.SIGPROF)

    return breathe


def _reply(level: Level, request: Request) -> Reply:
    try:
        return Reply(ask_here(level, request))
    except BotFailed as fault:
        return Reply(fault=str(fault))


def main(line: str, levels: str, thought: str, choice: str) -> None:
    # Who stops the worker also closes the line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # Before the first choice, whose time is limited.
    load_simulators()
    known = import_module(levels).BOTS
    serve(Connection(int(line)), known, Limits(float(thought), float(choice)))


if __name__ == "__main__":
    main(*sys.argv[1:])
