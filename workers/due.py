"""Whose answer is due, read from a game as it stands."""

from __future__ import annotations

from datetime import datetime

from events.agenda import Ask
from events.commit import Commit
from events.values import seat_of
from rules.state import State
from service.play.snapshots import Snapshot

CLOCK = "clock"


def awaited_seats(state: State) -> tuple[int, ...]:
    """The seats that owe an answer."""
    ask: Ask | None = state.ask
    return ask.awaited if ask is not None and state.status == "playing" else ()


def bots_due(state: State) -> tuple[int, ...]:
    return tuple(seat for seat in awaited_seats(state) if state.seats[seat].bot is not None)


def late_people(snapshot: Snapshot, now: datetime) -> tuple[int, ...]:
    """People who have been asked for longer than the game allows (W1)."""
    deadline = snapshot.deadline
    return snapshot.people_asked if deadline is not None and now >= deadline else ()


def moves_by_itself(state: State) -> bool:
    """Whether the game will go on by itself, sooner or later."""
    return bool(bots_due(state)) or bool(state.options.get("turn_seconds"))


def is_by_worker(commit: Commit, state: State) -> bool:
    """Whoever plays for bots and clock goes on by itself and needs no nudge."""
    seat = seat_of(commit.by)
    return commit.by == CLOCK or (seat is not None and state.seats[seat].bot is not None)
