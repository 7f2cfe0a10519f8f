"""One entry of the log: an accepted command and the facts it caused."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from events.commands import Choose, Command
from events.secrecy import Secret
from events.types import Chosen, Event, GameClosed, GameEnded
from events.values import Moment

FORMAT = 1
# After one of these nothing happens any more but that a rematch is made, and nothing is secret (S1).
ENDINGS = (GameEnded, GameClosed)


class BotNote(Struct, frozen=True, omit_defaults=True):
    """Which bot gave an answer: level and build, the simulations it was allowed, and the hash of its view.

    `instead_of` is the level that the seat was given, where a lower one had to answer, and `fault` says why.
    """

    name: str
    build: str
    budget: int
    view: str
    instead_of: str = ""
    fault: str = ""


class Commit(Struct, frozen=True, omit_defaults=True):
    """`key` and `request` serve retries, `imported` says since when a game from elsewhere is here, in its
    first commit; they are nobody's business and not hashed.

    `bot` is there where a bot answered, since 0.2.
    """

    version: int
    at: Moment
    by: str
    rules: str
    command: Command
    events: tuple[Event, ...]
    prev: str
    hash: str = ""
    format: int = 1
    bot: BotNote | None = None
    key: str = ""
    request: str = ""
    imported: str = ""


def logged_form(command: Command, events: Sequence[Event]) -> Command:
    """The command as the log may keep it: an answer that was sealed stays so."""
    if isinstance(command, Choose):
        # Before it may only stand that somebody went or came back.
        for event in events[:2]:
            if isinstance(event, Chosen) and isinstance(event.choice, Secret):
                return replace(command, choice=event.choice)
    return command
