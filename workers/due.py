"""Whose answer is due, read from a game as it stands."""

from __future__ import annotations

from datetime import datetime

from events.agenda import Ask
from events.commit import Commit
from events.values import seat_of
from rules.editions import EDITIONS
from rules.state import State
from service.play.snapshots import Snapshot

CLOCK = "clock"


def awaited_seats(state: State) -> tuple[int, ...]:
    """The seats that owe an answer; none where only a newer program knows what to do with it."""
    ask: Ask | None = state.ask
    return ask.awaited if ask is not None and state.status == "playing" and EDITIONS.knows(state) else ()


def bots_due(state: State) -> tuple[int, ...]:
    return tuple(seat for seat in awaited_seats(state) if state.seats[seat].bot is not None)


def late_people(snapshot: Snapshot, now: datetime) -> tuple[int, ...]:
    """People who have been asked for longer than the game allows (W1)."""
    deadline = snapshot.deadline if EDITIONS.knows(snapshot.state) else None
    return snapshot.people_asked if deadline is not None and now >= deadline else ()


def moves_by_itself(state: State) -> bool:
    """Whether the game will go on by itself, sooner or later."""
    timed = bool(state.options.get("turn_seconds")) and EDITIONS.knows(state)
    return timed or bool(bots_due(state))


def is_by_worker(commit: Commit, state: State) -> bool:
    """Whoever plays for bots and clock goes on by itself and needs no nudge."""
    seat = seat_of(commit.by)
    return commit.by == CLOCK or (seat is not None and state.seats[seat].bot is not None)
