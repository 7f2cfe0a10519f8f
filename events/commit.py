"""A commit is one entry of a game's log: an accepted command and its events, with encoding and upcasting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from events.commands import Choose, Command
from events.secrecy import Secret
from events.types import Chosen, Event, GameClosed, GameEnded
from events.values import Moment

FORMAT = 1
# After one of these only a rematch can follow, and nothing is secret any more (S1).
ENDINGS = (GameEnded, GameClosed)


class BotNote(Struct, frozen=True, omit_defaults=True):
    """Which bot gave an answer: level and build, the simulations it was allowed, and the hash of its view.

    Where a lower level had to answer, `instead_of` is the level that the seat has, and `fault` says why.
    """

    name: str
    build: str
    budget: int
    view: str
    instead_of: str = ""
    fault: str = ""


class Commit(Struct, frozen=True, omit_defaults=True):
    """One entry of a game's log, linked to the entry before it by `prev`.

    `key` and `request` serve retries; a store keeps them beside the log, not in it. `imported`, in the first
    commit of an imported game, is the time of the import. These three are neither hashed nor exported. `bot`
    is set where a bot answered, since 0.2.
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


def without_request(commit: Commit) -> Commit:
    """Return the commit as it is read from a log."""
    return replace(commit, key="", request="")


def logged_form(command: Command, events: Sequence[Event]) -> Command:
    """Return the command as it is logged: an answer that was sealed stays sealed."""
    if isinstance(command, Choose):
        # Only a seat that was left or returned to can come before it.
        for event in events[:2]:
            if isinstance(event, Chosen) and isinstance(event.choice, Secret):
                return replace(command, choice=event.choice)
    return command


Raw = dict[str, Any]
Upcaster = Callable[[Raw], Raw]
Upcasters = Mapping[int, Mapping[str, Upcaster]]

# By format, what changes to the next one, by the type of the event or command.
UPCASTERS: Upcasters = {}


def upcast(raw: Raw, upcasters: Upcasters = UPCASTERS, to: int = FORMAT) -> Raw:
    for number in range(raw.get("format", 1), to):
        raw = _lift_format(raw, upcasters.get(number, {}), number + 1)
    return raw


def _lift_format(raw: Raw, upcasters: Mapping[str, Upcaster], number: int) -> Raw:
    def lift(thing: Raw) -> Raw:
        upcaster = upcasters.get(thing["type"])
        return upcaster(thing) if upcaster else thing

    events = [lift(event) for event in raw["events"]]
    return {**raw, "command": lift(raw["command"]), "events": events, "format": number}


class Unreadable(ValueError):
    """These bytes are not a commit."""


# Fields keep their order: with its type in front an event is decoded in one pass. Hashes use sorted JSON.
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Commit)


def encode(commit: Commit) -> bytes:
    return _encoder.encode(commit)


def decode(stored: bytes) -> Commit:
    commit = _decode_current(stored)
    return convert_raw(decode_raw(stored)) if commit is None else commit


def decode_raw(stored: bytes) -> dict[str, Any]:
    """Decode a commit as it was written, without upcasting. Raises Unreadable."""
    try:
        return msgspec.json.decode(stored, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise Unreadable(str(fault)) from fault


def convert_raw(raw: dict[str, Any], upcasters: Upcasters = UPCASTERS) -> Commit:
    try:
        if not min(upcasters, default=FORMAT) <= raw.get("format", 1) <= FORMAT:
            raise Unreadable(f"format {raw['format']} is unknown to this release")
        return msgspec.convert(upcast(raw, upcasters), Commit)
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError) as fault:
        raise Unreadable(str(fault)) from fault


def _decode_current(stored: bytes) -> Commit | None:
    """One pass for what nearly every commit is: written in today's format."""
    try:
        commit = _decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return commit if commit.format == FORMAT else None
