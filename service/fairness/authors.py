"""Who made a commit: its `by`, why a bot answers, and its note follow from the command and the table."""

from __future__ import annotations

from collections.abc import Sequence

from events.chain import Broken
from events.commands import Choose, Close, Command, Create, Fork, Leave, Start
from events.commit import BotNote, Commit
from events.values import SeatPlan
from rules.attendance import AWAY, TIMEOUT, stand_in
from rules.options import MOST_TURN_SECONDS, ON_TIMEOUT
from rules.state import State
from service.fairness.clocks import CLOCK, STAND_IN

CREATOR = "creator"


def check_author(commit: Commit, state: State) -> None:
    """`state` is the table that the command was made at. Raises Broken."""
    command = commit.command
    fault = _find_reason_fault(commit, state) or _find_plan_fault(command, state)
    if fault:
        raise Broken(commit.version, fault)
    if commit.by != _name_author(commit, state):
        raise Broken(commit.version, f"it is not by {commit.by} that such a command is made there")
    if not _fits_note(commit.bot, _find_level(command, state), state):
        raise Broken(commit.version, "its note tells of another bot than answers there, or of none")


def _name_author(commit: Commit, state: State) -> str:
    match commit.command:
        case Create() | Fork():
            return CREATOR
        case Close():
            return CLOCK
        case Choose(why=why, bot=bot) if why:
            return CLOCK if why == TIMEOUT else STAND_IN + bot
        case Choose(seat=seat):
            return CLOCK if _is_unnamed_clock(commit, state) else f"seat-{seat}"
        case command:
            return f"seat-{command.seat}"


def _is_unnamed_clock(commit: Commit, state: State) -> bool:
    """Games from before W9 have answers of the clock that do not name it otherwise."""
    answer = commit.command
    person = isinstance(answer, Choose) and state.seats[answer.seat].acting_bot is None
    return person and commit.by == CLOCK and not _is_told(state)


def _is_told(state: State) -> bool:
    """Since there is `on_timeout` the log says why a bot answers and which it was."""
    return ON_TIMEOUT.name in state.options


def _find_reason_fault(commit: Commit, state: State) -> str | None:
    """A bot answers in the place of a person alone, and the answer says why (W9)."""
    answer = commit.command
    if not isinstance(answer, Choose) or not (answer.bot or answer.why):
        return None
    seat = state.seats[answer.seat]
    if not answer.bot or answer.why not in (TIMEOUT, AWAY):
        return "a bot answers there without a right to, or without saying why"
    return "the clock answers there for a bot" if answer.why == TIMEOUT and seat.acting_bot else None


def _find_level(command: Command, state: State) -> str | None:
    """The bot whose answer it is; None where no bot's it is."""
    return (command.bot or state.seats[command.seat].bot) if isinstance(command, Choose) else None


def _fits_note(note: BotNote | None, level: str | None, state: State) -> bool:
    if note is None:
        return level is None or not _is_told(state)
    given = note.instead_of or note.name
    excused = bool(note.instead_of) == bool(note.fault) and note.name != note.instead_of
    return given == level and excused and bool(note.name and note.build and note.view) and note.budget >= 0


def _find_plan_fault(command: Command, state: State) -> str | None:
    match command:
        case Create(seats=seats) | Fork(seats=seats):
            return None if _are_plans(seats) else "a seat of it has a deadline or a fallback that none has"
        case Leave(bot=bot) if bot != (stand_in(state) if state.status == "playing" else ""):
            return f"{bot or 'nobody'} does not answer for who leaves there"
        case Start(bot=""):
            return "it names no bot for the open seats"
        case _:
            return None


def _are_plans(seats: Sequence[SeatPlan]) -> bool:
    """Of a program from elsewhere both are told, of all others neither (W13)."""
    return all(
        0 <= plan.seconds <= MOST_TURN_SECONDS and bool(plan.seconds) == bool(plan.fallback) for plan in seats
    )
