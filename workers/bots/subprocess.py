"""Bots in a subprocess, which is restarted when it dies or hangs.

`python -m workers.bots.subprocess LINE LEVELS THOUGHT CHOICE` answers on an inherited descriptor until nobody
asks any more; the last two are seconds, as in Limits.
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

from workers.bots.asking import BotAbsent, BotDied, BotFailed, BotHung, BotRequest, ask_here
from workers.bots.protocol import Decision, Level
from workers.simulation import load_simulators

# Of processor time, so that no bot is weaker where others keep the machine busy.
LONGEST_THOUGHT = 1.0
# By the clock.
LONGEST_CHOICE = 3.0
# Who thinks lets others have the core so often: by itself a system may do so every four milliseconds only,
# however modest the process, and somebody's request would wait for that at each of its steps.
BREATH = 0.00025


class SubprocessReply(Struct, frozen=True):
    decision: Decision | None = None
    fault: str = ""


class SubprocessLimits(Struct, frozen=True):
    """Seconds that an answer may take: of the processor, and by the clock."""

    thought: float = LONGEST_THOUGHT
    choice: float = LONGEST_CHOICE


def serve(line: Connection, levels: dict[str, Level], limits: SubprocessLimits) -> None:
    """Until nobody asks any more, or wants to hear the answer."""
    with suppress(EOFError, ConnectionError):
        line.send_bytes(b"ready")
        while True:
            request = msgspec.json.decode(line.recv_bytes(), type=BotRequest)
            line.send_bytes(msgspec.json.encode(_reply_in_time(levels[request.level], request, limits)))


def _reply_in_time(level: Level, request: BotRequest, limits: SubprocessLimits) -> SubprocessReply:
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


def _reply(level: Level, request: BotRequest) -> SubprocessReply:
    try:
        return SubprocessReply(ask_here(level, request))
    except BotFailed as fault:
        return SubprocessReply(fault=str(fault))


def main(line: str, levels: str, thought: str, choice: str) -> None:
    # Who stops the worker also closes the line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # Before the first choice, whose time is limited.
    load_simulators()
    known = import_module(levels).BOTS
    serve(Connection(int(line)), known, SubprocessLimits(float(thought), float(choice)))


if __name__ == "__main__":
    main(*sys.argv[1:])


# Whatever fails, and whoever has to be started: RQ ends a job after ten seconds, and half a one may be over.
LONGEST_ANSWER = 8.5
# Whoever is not ready by then hangs.
LONGEST_START = 4.0
# The process ends itself when its time is over, also in the middle of a computation; this is for the reply.
GRACE = 0.25
# Most choices take no longer: where less is left, nobody is asked.
SHORTEST_CHOICE = 0.5
# For one whose line is closed.
LONGEST_END = 1.0
# Where so many in a row were lost before they were ready, whoever asks no longer waits for another.
MOST_LOST = 8
LEVELS = "workers.bots"
USUAL_LIMITS = SubprocessLimits()
TOO_LONG = "took too long"
NO_TIME = "was left no time"


class Unheard(Exception):
    """Nobody lived to hear the question."""


class BotSubprocess:
    """Started when it is first asked or before, and again when it has ended."""

    def __init__(
        self,
        levels: str = LEVELS,
        limits: SubprocessLimits = USUAL_LIMITS,
        longest_start: float = LONGEST_START,
        most_lost: int = MOST_LOST,
    ) -> None:
        self._levels = levels
        self._limits = limits
        self._longest_start = longest_start
        self._most_lost = most_lost
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._is_ready = False
        self._started = 0.0
        self._lost = 0

    def ask(self, level: Level, request: BotRequest, seconds: float = LONGEST_ANSWER) -> Decision:
        """Raises BotFailed where the bot raises, takes too long or does not live to answer.

        BotAbsent where there is nobody to ask who could answer in so many seconds.
        """
        reply = self._exchange(msgspec.json.encode(request), monotonic() + seconds)
        if reply.decision is None:
            raise BotFailed(reply.fault)
        return reply.decision

    def _exchange(self, question: bytes, end: float) -> SubprocessReply:
        try:
            return self._put_until_heard(question, end)
        except BotFailed:
            raise
        except BaseException:
            # A reply that nobody waited for must not be taken for the next one.
            self.stop()
            raise

    def _put_until_heard(self, question: bytes, end: float) -> SubprocessReply:
        """Who has ended between two questions, or while it started, is started again: nothing failed."""
        while True:
            try:
                return self._put(question, end)
            except Unheard as gone:
                how = self._start_again()
                self._lost += 1
                if self._lost > self._most_lost:
                    raise BotAbsent(how) from gone

    def _put(self, question: bytes, end: float) -> SubprocessReply:
        line = self._await_ready(end - SHORTEST_CHOICE)
        longest = self._limits.choice + GRACE
        left = end - monotonic()
        try:
            line.send_bytes(question)
            return msgspec.json.decode(_receive(line, min(longest, left)), type=SubprocessReply)
        except ConnectionError as gone:
            # The line is reset where what was sent has not been read.
            raise Unheard from gone
        except (EOFError, OSError) as silence:
            is_hanging = isinstance(silence, TimeoutError)
            how = self._start_again(is_hanging)
            if is_hanging and left < longest:
                raise BotAbsent(NO_TIME) from silence
            raise (BotHung(how) if how == TOO_LONG else BotDied(how)) from silence

    def _await_ready(self, until: float) -> Connection:
        """Raises Unheard and BotAbsent."""
        if self._process is not None and self._process.poll() is not None:
            raise Unheard
        try:
            line = self._line or self.start()
            if not self._is_ready:
                _receive(line, until - monotonic())
        except TimeoutError as slow:
            if monotonic() > self._started + self._longest_start:
                self._start_again(is_hanging=True)
            raise BotAbsent("did not start in time") from slow
        except (EOFError, OSError) as gone:
            raise Unheard from gone
        self._is_ready = True
        self._lost = 0
        if monotonic() > until:
            raise BotAbsent(NO_TIME)
        return line

    def _start_again(self, is_hanging: bool = False) -> str:
        """How the one before ended; where none can be started now, the next question tries again."""
        how = self.stop(is_hanging)
        with suppress(OSError):
            self.start()
        return how

    def stop(self, is_hanging: bool = False) -> str:
        """How it ended, in words."""
        process = self._process
        line = self._line
        self._process = self._line = None
        self._is_ready = False
        if process is None or line is None:
            return "did not start"
        line.close()
        return _describe_end(process, 0 if is_hanging else LONGEST_END)

    def start(self) -> Connection:
        """Waits for nothing: whoever asks first waits for what is left of it. Raises OSError."""
        line, inherited = Pipe()
        command = (sys.executable, "-m", "workers.bots.subprocess", str(inherited.fileno()), self._levels)
        limits = (str(self._limits.thought), str(self._limits.choice))
        with inherited:
            self._process = subprocess.Popen(
                (*command, *limits), stdin=subprocess.DEVNULL, pass_fds=[inherited.fileno()]
            )
        self._line = line
        self._started = monotonic()
        return line


def _receive(line: Connection, seconds: float) -> bytes:
    """Raises EOFError and ConnectionError where the line is closed, and TimeoutError where nothing comes."""
    if not line.poll(max(0.0, seconds)):
        raise TimeoutError
    return line.recv_bytes()


def _describe_end(process: subprocess.Popen[bytes], seconds: float) -> str:
    """It ends by itself when its line is closed, unless it hangs: then it has nothing to lose."""
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return TOO_LONG
    return TOO_LONG if -code == signal.SIGPROF else f"ended with exit code {code}"
