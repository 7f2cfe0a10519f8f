"""Shows the progress of a long command on standard error: `Progress`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import TextIO

# How often a line on a terminal moves, and how often another one is printed where there is no terminal.
MOVES_EVERY = 0.1
PRINTS_EVERY = 5.0


class Progress:
    """Shows how far a command is: one line that moves on a terminal, else a plain line now and then."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = monotonic) -> None:
        """Write to standard error unless another stream is given."""
        self._stream = stream or sys.stderr
        self._clock = clock
        self._moves = self._stream.isatty()
        self._pause = MOVES_EVERY if self._moves else PRINTS_EVERY
        self._next = clock() + (0.0 if self._moves else self._pause)
        self._width = 0

    def show(self, text: str) -> None:
        """Show how far it is, unless that was shown a moment ago."""
        if self._clock() >= self._next:
            self._write(text)

    def finish(self, text: str) -> None:
        """Show the end of a step, and leave it standing."""
        self._write(text)
        if self._moves:
            self._stream.write("\n")
            self._stream.flush()
        self._width = 0

    def _write(self, text: str) -> None:
        if self._moves:
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()
        self._next = self._clock() + self._pause


def describe_count(done: int, total: int, noun: str) -> str:
    """Return how many of all are done, as in `1,200 of 4,000 games, 30 %`."""
    percent = 100 * done // total if total else 100
    return f"{done:,} of {total:,} {noun}, {percent} %"


def count_things(number: int, noun: str) -> str:
    """Return a number with its noun, as in `1 game` or `1,200 games`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
