"""Runs bots in a subprocess, which is restarted when it dies or hangs.

`python -m workers.bots.subprocess LINE LEVELS THOUGHT CHOICE` is the child. It answers requests on the
inherited descriptor LINE until the parent closes it. THOUGHT and CHOICE are seconds, as in SubprocessLimits.
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

from events.text import Text
from workers.bots.asking import BotAbsent, BotDied, BotFailed, BotHung, BotRequest, ask_here
from workers.bots.protocol import Decision, Level
from workers.simulation import load_simulators

# Seconds of processor time, so that a bot is not weaker on a busy machine.
LONGEST_THOUGHT = 1.0
# Seconds by the clock.
LONGEST_CHOICE = 3.0
# A bot that thinks gives up the core this often. The system itself may switch only every four milliseconds,
# even away from a process of low priority, and a request would wait for that at each of its steps.
YIELD_SECONDS = 0.00025


class SubprocessReply(Struct, frozen=True):
    """Holds the decision, or the fault if the bot failed."""

    decision: Decision | None = None
    fault: str = ""


class SubprocessLimits(Struct, frozen=True):
    """Holds the seconds that an answer may take: of processor time, and by the clock."""

    thought: float = LONGEST_THOUGHT
    choice: float = LONGEST_CHOICE


def serve(line: Connection, levels: dict[str, Level], limits: SubprocessLimits) -> None:
    """Answer requests until the parent closes the connection."""
    with suppress(EOFError, ConnectionError):
        line.send_bytes(b"ready")
        while True:
            request = msgspec.json.decode(line.recv_bytes(), type=BotRequest)
            line.send_bytes(msgspec.json.encode(_reply_in_time(levels[request.level], request, limits)))


def _reply_in_time(level: Level, request: BotRequest, limits: SubprocessLimits) -> SubprocessReply:
    """Return the bot's reply; end this process by a signal if that takes too long.

    A thorough request may use as much processor time as the clock allows: no player waits for it.
    """
    signal.setitimer(signal.ITIMER_PROF, limits.choice if request.thorough else limits.thought)
    signal.signal(signal.SIGALRM, _make_way(limits.choice))
    signal.setitimer(signal.ITIMER_REAL, YIELD_SECONDS, YIELD_SECONDS)
    reply = _ask_for_reply(level, request)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return reply


def _make_way(seconds: float) -> Callable[[int, object], None]:
    """Return a signal handler that lets other processes run, and ends this process after so many seconds.

    On a crowded machine each yield may cost many milliseconds, so that a short thought would not end in time.
    When half of the time is over, the process therefore yields no more.
    """
    end = monotonic() + seconds
    in_a_hurry = end - seconds / 2

    def yield_core(_number: int, _frame: object) -> None:
        now = monotonic()
        if now > end:
            signal.raise_signal(signal.SIGPROF)
        elif now < in_a_hurry:
            os.sched_yield()

    return yield_core


def _ask_for_reply(level: Level, request: BotRequest) -> SubprocessReply:
    """Ask the bot and return its decision or its fault."""
    try:
        return SubprocessReply(ask_here(level, request))
    except BotFailed as fault:
        return SubprocessReply(fault=str(fault))


def main(line: str, levels: str, thought: str, choice: str) -> None:
    """Run the child: load the levels and the simulators, then answer requests."""
    # Ctrl-C goes to the child, too. The worker closes the line when it stops, and that ends the child.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # Loaded now, because the time of the first choice is limited.
    load_simulators()
    known = import_module(levels).BOTS
    serve(Connection(int(line)), known, SubprocessLimits(float(thought), float(choice)))


# Seconds for one answer, with failures and restarts: RQ ends a job after ten, and half of one may be over.
LONGEST_ANSWER = 8.5
# A child that is not ready after so many seconds is taken to hang.
LONGEST_START = 4.0
# The child ends itself when its time is over, even in the middle of a computation; this is for the reply.
GRACE = 0.25
# Most choices take no longer: if less time is left, the bot is not asked.
SHORTEST_CHOICE = 0.5
# Seconds that a child may take to end after its line is closed.
LONGEST_END = 1.0
# After so many children in a row that ended before they were ready, the request is given up.
MOST_LOST = 8
LEVELS = "workers.bots"
USUAL_LIMITS = SubprocessLimits()
TOO_LONG = Text("took too long")
NO_TIME = Text("was left no time")


class RequestNotRead(Exception):
    """Says that the child ended before it read the request."""


class BotSubprocess:
    """Keeps one child process that asks bots, and starts it again when it has ended.

    The child is started by the first request, unless `start` was called before.
    """

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
        """Return the bot's decision. Raises BotFailed if the bot raises, takes too long or dies.

        Raises BotAbsent if there is no child that could answer within `seconds`.
        """
        reply = self._exchange(msgspec.json.encode(request), monotonic() + seconds)
        if reply.decision is None:
            raise BotFailed(reply.fault)
        return reply.decision

    def _exchange(self, question: bytes, end: float) -> SubprocessReply:
        """Send the request and return the reply. Raises BotFailed."""
        try:
            return self._send_until_read(question, end)
        except BotFailed:
            raise
        except BaseException:
            # The reply to an interrupted request must not be taken for the reply to the next one.
            self.stop()
            raise

    def _send_until_read(self, question: bytes, end: float) -> SubprocessReply:
        """Send the request, and again to a new child as often as one ends before it reads it.

        That is no failure of the bot. Raises BotFailed, and BotAbsent after `most_lost` children in a row.
        """
        while True:
            try:
                return self._send(question, end)
            except RequestNotRead as gone:
                how = self._start_again()
                self._lost += 1
                if self._lost > self._most_lost:
                    raise BotAbsent(how) from gone

    def _send(self, question: bytes, end: float) -> SubprocessReply:
        """Send the request once and return the reply.

        Raises RequestNotRead, BotAbsent, BotHung and BotDied.
        """
        line = self._await_ready(end - SHORTEST_CHOICE)
        longest = self._limits.choice + GRACE
        left = end - monotonic()
        try:
            line.send_bytes(question)
            return msgspec.json.decode(_receive(line, min(longest, left)), type=SubprocessReply)
        except ConnectionError as gone:
            # The connection is reset if the child ends before it reads what was sent.
            raise RequestNotRead from gone
        except (EOFError, OSError) as silence:
            is_hanging = isinstance(silence, TimeoutError)
            how = self._start_again(is_hanging)
            if is_hanging and left < longest:
                raise BotAbsent(NO_TIME) from silence
            raise (BotHung(how) if how == TOO_LONG else BotDied(how)) from silence

    def _await_ready(self, until: float) -> Connection:
        """Return the connection once the child is ready. Raises RequestNotRead and BotAbsent."""
        if self._process is not None and self._process.poll() is not None:
            raise RequestNotRead
        try:
            line = self._line or self.start()
            if not self._is_ready:
                _receive(line, until - monotonic())
        except TimeoutError as slow:
            if monotonic() > self._started + self._longest_start:
                self._start_again(is_hanging=True)
            raise BotAbsent("did not start in time") from slow
        except (EOFError, OSError) as gone:
            raise RequestNotRead from gone
        self._is_ready = True
        self._lost = 0
        if monotonic() > until:
            raise BotAbsent(NO_TIME)
        return line

    def _start_again(self, is_hanging: bool = False) -> str:
        """Start a new child and return how the old one ended.

        If none can be started now, the next request tries again.
        """
        how = self.stop(is_hanging)
        with suppress(OSError):
            self.start()
        return how

    def stop(self, is_hanging: bool = False) -> str:
        """Stop the child and return how it ended, in words."""
        process = self._process
        line = self._line
        self._process = None
        self._line = None
        self._is_ready = False
        if process is None or line is None:
            return Text("did not start")
        line.close()
        return _describe_end(process, 0 if is_hanging else LONGEST_END)

    def start(self) -> Connection:
        """Start the child without waiting until it is ready. Raises OSError."""
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
    """Return the next message. Raises TimeoutError, and EOFError or ConnectionError if the line is closed."""
    if not line.poll(max(0.0, seconds)):
        raise TimeoutError
    return line.recv_bytes()


def _describe_end(process: subprocess.Popen[bytes], seconds: float) -> str:
    """Wait for the end of the process and return how it ended, in words.

    The child ends by itself when its line is closed. If it does not within `seconds`, it hangs and is killed.
    """
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return TOO_LONG
    return TOO_LONG if -code == signal.SIGPROF else f"ended with exit code {code}"


if __name__ == "__main__":
    main(*sys.argv[1:])
