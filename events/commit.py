"""One entry of the log: an accepted command and the facts it caused."""

from __future__ import annotations

from msgspec import Struct

from events.commands import Command
from events.types import Event

FORMAT = 1


class Commit(Struct, frozen=True, omit_defaults=True):
    """`key` and `request` serve retries; they are nobody's business and not hashed."""

    version: int
    at: str
    by: str
    rules: str
    command: Command
    events: tuple[Event, ...]
    prev: str
    hash: str = ""
    format: int = 1
    key: str = ""
    request: str = ""
