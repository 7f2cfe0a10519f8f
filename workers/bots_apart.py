"""Bots are asked in a process of their own, which is started again whenever it has ended."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from time import monotonic

import msgspec

from workers.bot_process import Limits, Reply
from workers.bots.asking import BotAbsent, BotDied, BotFailed, BotHung, Request
from workers.bots.decision import Decision, Level

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
USUAL_LIMITS = Limits()
TOO_LONG = "took too long"
NO_TIME = "was left no time"


class Unheard(Exception):
    """Nobody lived to hear the question."""


class BotProcess:
    """Started when it is first asked or before, and again when it has ended."""

    def __init__(
        self,
        levels: str = LEVELS,
        limits: Limits = USUAL_LIMITS,
        longest_start: float = LONGEST_START,
        most_lost: int = MOST_LOST,
    ) -> None:
        self._levels, self._limits = levels, limits
        self._longest_start, self._most_lost = longest_start, most_lost
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._is_ready, self._started, self._lost = False, 0.0, 0

    def ask(self, level: Level, request: Request, seconds: float = LONGEST_ANSWER) -> Decision:
        """Raises BotFailed where the bot raises, takes too long or does not live to answer.

        BotAbsent where there is nobody to ask who could answer in so many seconds.
        """
        reply = self._exchange(msgspec.json.encode(request), monotonic() + seconds)
        if reply.decision is None:
            raise BotFailed(reply.fault)
        return reply.decision

    def _exchange(self, question: bytes, end: float) -> Reply:
        try:
            return self._put_until_heard(question, end)
        except BotFailed:
            raise
        except BaseException:
            # A reply that nobody waited for must not be taken for the next one.
            self.stop()
            raise

    def _put_until_heard(self, question: bytes, end: float) -> Reply:
        """Who has ended between two questions, or while it started, is started again: nothing failed."""
        while True:
            try:
                return self._put(question, end)
            except Unheard as gone:
                how = self._start_again()
                self._lost += 1
                if self._lost > self._most_lost:
                    raise BotAbsent(how) from gone

    def _put(self, question: bytes, end: float) -> Reply:
        line = self._await_ready(end - SHORTEST_CHOICE)
        longest, left = self._limits.choice + GRACE, end - monotonic()
        try:
            line.send_bytes(question)
            return msgspec.json.decode(_receive(line, min(longest, left)), type=Reply)
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
        self._is_ready, self._lost = True, 0
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
        process, line = self._process, self._line
        self._process = self._line = None
        self._is_ready = False
        if process is None or line is None:
            return "did not start"
        line.close()
        return _describe_end(process, 0 if is_hanging else LONGEST_END)

    def start(self) -> Connection:
        """Waits for nothing: whoever asks first waits for what is left of it. Raises OSError."""
        line, inherited = Pipe()
        command = (sys.executable, "-m", "workers.bot_process", str(inherited.fileno()), self._levels)
        limits = (str(self._limits.thought), str(self._limits.choice))
        with inherited:
            self._process = subprocess.Popen(
                (*command, *limits), stdin=subprocess.DEVNULL, pass_fds=[inherited.fileno()]
            )
        self._line, self._started = line, monotonic()
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
