"""What the log says of a bot's answer, where a test answers for the bot."""

from __future__ import annotations

from events.commands import Choose, Command, Create
from events.commit import BotNote
from rules.state import State


def note_of(bot: str | None) -> BotNote | None:
    """None for a person's answer."""
    return BotNote(bot, "test", 0, "0" * 64) if bot else None


def sign(command: Command, state: State) -> tuple[str, BotNote | None]:
    """By whom the commit is made, and the note of the bot if it is one that sits there."""
    if isinstance(command, Create):
        return "creator", None
    seat: int = getattr(command, "seat")  # noqa: B009 - of those that are made here each has one
    return f"seat-{seat}", note_of(state.seats[seat].bot) if isinstance(command, Choose) else None
