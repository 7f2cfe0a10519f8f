"""Bots of others: a command that reads a line of JSON and writes one, for as long as it is asked."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
from collections.abc import Sequence
from time import monotonic
from typing import Any

import msgspec

from rules.legal import choices
from rules.state import State
from service.play.tables import render_table

# For the first answer, too, which may have to load something.
LONGEST_ANSWER = 30.0
LONGEST_LINE = 65_536
LONGEST_QUOTE = 200
EXPECTED = '{"choice": "…"} on a line'


class BadBot(Exception):
    """It gave no answer that can be played; says why."""


class ForeignBot:
    """Started when it is first asked; it ends with its input."""

    def __init__(self, name: str, command: Sequence[str], longest: float = LONGEST_ANSWER) -> None:
        self._name, self._command, self._longest = name, command, longest
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    @classmethod
    def from_text(cls, name: str, line: str) -> ForeignBot:
        return cls(name, shlex.split(line))

    def answer(self, state: State, seat: int, version: int) -> str:
        """Raises BadBot."""
        options = choices(state, seat)
        question = {"table": render_table(state, seat, version), "seat": seat, "options": options}
        choice = self._read_choice(self._exchange(msgspec.json.encode(question)))
        if choice not in options:
            raise BadBot(f"{self._name} answered {choice!r}, which is none of {', '.join(options)}")
        return choice

    def _read_choice(self, line: bytes) -> str:
        choice = _find_choice(line)
        if choice is None:
            sent = line[:LONGEST_QUOTE].decode(errors="replace")
            raise BadBot(f"{self._name} sent {sent!r}, which is no {EXPECTED}")
        return choice

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _exchange(self, line: bytes) -> bytes:
        process = self._process or self._start()
        try:
            os.write(_number(process.stdin), line + b"\n")
            return self._read_line(_number(process.stdout))
        except OSError as fault:
            raise BadBot(f"{self._name} has ended") from fault

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as fault:
            raise BadBot(f"{self._name} does not start: {fault}") from fault
        return self._process

    def _read_line(self, source: int) -> bytes:
        end = monotonic() + self._longest
        while b"\n" not in self._read:
            ready, _, _ = select.select([source], [], [], max(0.0, end - monotonic()))
            more = os.read(source, LONGEST_LINE) if ready else b""
            if not more or len(self._read) > LONGEST_LINE:
                raise BadBot(f"{self._name} {'has ended' if ready else 'took too long'}")
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line


def _number(pipe: Any) -> int:
    return int(pipe.fileno())


def _find_choice(line: bytes) -> str | None:
    """A text alone will do; None where there is none."""
    try:
        said = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    choice = said.get("choice") if isinstance(said, dict) else said
    return choice if isinstance(choice, str) else None
