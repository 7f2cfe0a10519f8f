"""A process of its own for bots that think: what becomes of it does not harm the worker.

`python -m workers.bot_process LINE LEVELS` answers on an inherited descriptor until nobody asks any more.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import monotonic

import msgspec
from msgspec import Struct

from workers.bots.asking import BotDied, BotFailed, BotHung, Request, ask_here
from workers.bots.decision import Decision, Level
from workers.simulators import load_simulators

# Of processor time, so that no bot is weaker where others keep the machine busy.
LONGEST_THOUGHT = 1.0
# By the clock; RQ ends a job after ten seconds.
LONGEST_CHOICE = 3.0
LONGEST_START = 8.0
# The process ends itself when its time is over, also in the middle of a computation; this is for the reply.
GRACE = 1.0
# Who thinks lets others have the core so often: by itself a system may do so every four milliseconds only,
# however modest the process, and somebody's request would wait for that at each of its steps.
BREATH = 0.00025
LEVELS = "workers.bots"
TOO_LONG = "took too long"


class Reply(Struct, frozen=True):
    decision: Decision | None = None
    fault: str = ""


class Limits(Struct, frozen=True):
    """Seconds that an answer may take: of the processor, and by the clock."""

    thought: float = LONGEST_THOUGHT
    choice: float = LONGEST_CHOICE


USUAL_LIMITS = Limits()


class BotProcess:
    """Started when it is first asked or before, and again when it has ended."""

    def __init__(self, levels: str = LEVELS, limits: Limits = USUAL_LIMITS) -> None:
        self._levels, self._limits = levels, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._is_ready = False

    def ask(self, level: Level, request: Request) -> Decision:
        """Raises BotFailed where the bot raises, takes too long or does not live to answer."""
        reply = self._exchange(msgspec.json.encode(request))
        if reply.decision is None:
            raise BotFailed(reply.fault)
        return reply.decision

    def _exchange(self, request: bytes) -> Reply:
        try:
            line = self._await_ready()
            line.send_bytes(request)
            return msgspec.json.decode(_receive(line, self._limits.choice + GRACE), type=Reply)
        except (EOFError, OSError) as end:
            how = self.stop()
            self.start()
            raise (BotHung(how) if how == TOO_LONG else BotDied(how)) from end
        except BaseException:
            # A reply that nobody waited for must not be taken for the next one.
            self.stop()
            raise

    def stop(self) -> str:
        """How it ended, in words."""
        process, line = self._process, self._line
        self._process = self._line = None
        self._is_ready = False
        if process is None or line is None:
            return "did not start"
        line.close()
        return _describe_end(process)

    def start(self) -> Connection:
        """Waits for nothing: whoever asks first waits for what is left of it."""
        self._line, inherited = Pipe()
        command = (sys.executable, "-m", "workers.bot_process", str(inherited.fileno()), self._levels)
        limits = (str(self._limits.thought), str(self._limits.choice))
        with inherited:
            self._process = subprocess.Popen(
                (*command, *limits), stdin=subprocess.DEVNULL, pass_fds=[inherited.fileno()]
            )
        return self._line

    def _await_ready(self) -> Connection:
        """Raises EOFError."""
        line = self._line or self.start()
        if not self._is_ready:
            _receive(line, LONGEST_START)
            self._is_ready = True
        return line


def _receive(line: Connection, seconds: float) -> bytes:
    """Raises EOFError where nothing comes."""
    if not line.poll(seconds):
        raise EOFError
    return line.recv_bytes()


def _describe_end(process: subprocess.Popen[bytes]) -> str:
    """It ends by itself when its line is closed, unless it hangs."""
    try:
        code = process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return TOO_LONG
    return TOO_LONG if -code == signal.SIGPROF else f"ended with exit code {code}"


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
