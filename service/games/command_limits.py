"""Limits how often a seat may repeat a command while the game does not go on (W14)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from events.commands import Command, Fork, Leave, Sit, Void
from events.text import Text
from rules import Rejected
from rules.errors import Reason

# Of one seat, each of these for itself; after a fork others sit there, and it counts anew.
MOST_CHANGES = 20
# Of one table before the game starts.
MOST_ARRIVALS = 100
# One after the other, from a game to the fork of a fork of it.
MOST_FORKS = 10
_Kind = tuple[type[Command], int]
_MOST: dict[type[Command], int] = {
    Void: MOST_CHANGES,
    Leave: MOST_CHANGES,
    Sit: MOST_ARRIVALS,
    Fork: MOST_FORKS,
}
_WHAT: dict[type[Command], str] = {
    Void: "seat {seat} has changed its mind {most} times about ending the game; it plays on as it is",
    Leave: "seat {seat} has left {most} times; it may leave for good",
    Sit: "{most} people have sat down at this table; create another",
    Fork: "this is a fork of a fork, {most} times over; fork one that came before",
}


class Repetitions:
    """Counts the commands of a log, from the first on."""

    def __init__(self) -> None:
        """Begin at the start of a log."""
        self._counts = Counter[_Kind]()

    def add(self, command: Command) -> None:
        """Count a command."""
        kind = _kind_of(command)
        if isinstance(command, Fork):
            self._counts = Counter({one: count for one, count in self._counts.items() if one[0] is Fork})
        if kind is not None:
            self._counts[kind] += 1

    def find_fault(self, command: Command) -> str:
        """Return why a command would be one too many; empty if it would not."""
        kind = _kind_of(command)
        if kind is None or self._counts[kind] < _MOST[kind[0]]:
            return ""
        return Text(_WHAT[kind[0]], seat=kind[1], most=_MOST[kind[0]])


def _kind_of(command: Command) -> _Kind | None:
    """Return what a command counts as; None if it makes the game go on or can be done only once."""
    match command:
        case Void(seat):
            return Void, seat
        case Leave(seat, bot, for_good) if bot and not for_good:
            return Leave, seat
        case Sit() | Fork():
            return type(command), 0
        case _:
            return None


def is_repeatable(command: Command) -> bool:
    """Return whether a command can be repeated while the game does not go on."""
    return _kind_of(command) is not None


def check_repetition(before: Iterable[Command], command: Command) -> None:
    """Raise Rejected if a command has been repeated too often in the log that it would be added to."""
    repetitions = Repetitions()
    for earlier in before:
        repetitions.add(earlier)
    if fault := repetitions.find_fault(command):
        raise Rejected(Reason.TOO_OFTEN, fault, rule="W14")
