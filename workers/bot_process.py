"""A process of its own for bots that think: what becomes of it does not harm the worker.

`python -m workers.bot_process LINE LEVELS` answers on an inherited descriptor until nobody asks any more.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection

import msgspec
from msgspec import Struct

from workers.bots.asking import BotFailed, Request, ask_here
from workers.bots.decision import Decision, Level
from workers.simulators import load_simulators

# Nothing takes a tenth of it; RQ ends a job after ten seconds.
LONGEST_CHOICE = 3.0
LONGEST_START = 8.0
# The process ends itself when its time is over, also in the middle of a computation; this is for the reply.
GRACE = 1.0
LEVELS = "workers.bots"


class Reply(Struct, frozen=True):
    decision: Decision | None = None
    fault: str = ""


class BotProcess:
    """Started when it is first asked, and again when it has ended."""

    def __init__(self, levels: str = LEVELS, longest: float = LONGEST_CHOICE) -> None:
        self._levels, self._longest = levels, longest
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None

    def ask(self, level: Level, request: Request) -> Decision:
        """Raises BotFailed where the bot raises, takes too long or does not live to answer."""
        reply = self._exchange(msgspec.json.encode(request))
        if reply.decision is None:
            raise BotFailed(reply.fault)
        return reply.decision

    def _exchange(self, request: bytes) -> Reply:
        try:
            line = self._line or self._start()
            line.send_bytes(request)
            return msgspec.json.decode(_receive(line, self._longest + GRACE), type=Reply)
        except (EOFError, OSError) as end:
            raise BotFailed(self.stop()) from end
        except BaseException:
            # A reply that nobody waited for must not be taken for the next one.
            self.stop()
            raise

    def stop(self) -> str:
        """How it ended, in words."""
        process, line = self._process, self._line
        self._process = self._line = None
        if process is None or line is None:
            return "did not start"
        line.close()
        return _describe_end(process)

    def _start(self) -> Connection:
        self._line, inherited = Pipe()
        command = (sys.executable, "-m", "workers.bot_process", str(inherited.fileno()), self._levels)
        with inherited:
            self._process = subprocess.Popen(
                (*command, str(self._longest)), stdin=subprocess.DEVNULL, pass_fds=[inherited.fileno()]
            )
        _receive(self._line, LONGEST_START)
        return self._line


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
        return "took too long"
    return "took too long" if code == -signal.SIGALRM else f"ended with exit code {code}"


def serve(line: Connection, levels: dict[str, Level], longest: float) -> None:
    line.send_bytes(b"ready")
    while True:
        try:
            request = msgspec.json.decode(line.recv_bytes(), type=Request)
        except EOFError:
            return
        line.send_bytes(msgspec.json.encode(_reply_in_time(levels[request.level], request, longest)))


def _reply_in_time(level: Level, request: Request, longest: float) -> Reply:
    signal.setitimer(signal.ITIMER_REAL, longest)
    reply = _reply(level, request)
    signal.setitimer(signal.ITIMER_REAL, 0)
    return reply


def _reply(level: Level, request: Request) -> Reply:
    try:
        return Reply(ask_here(level, request))
    except BotFailed as fault:
        return Reply(fault=str(fault))


def main(line: str, levels: str, longest: str) -> None:
    # Who stops the worker also closes the line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # Before the first choice, whose time is limited.
    load_simulators()
    serve(Connection(int(line)), import_module(levels).BOTS, float(longest))


if __name__ == "__main__":
    main(*sys.argv[1:])
