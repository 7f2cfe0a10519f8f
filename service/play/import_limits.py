"""What a game from elsewhere may say that no rule checks: names, other texts, and when it was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from events.commit import Commit
from service.play.repetitions import Repetitions
from service.texts import find_name_fault, find_text_fault
from service.timestamps import stamp

# Of the members that these checks are about; what the rules decided follows from them.
_TOLD = ("by", "command", "bot")
# How far the clock of another service may be ahead of ours.
AHEAD = timedelta(minutes=5)


def find_unfit(commits: Sequence[Commit], now: datetime) -> Iterator[tuple[int, str]]:
    """Versions with what nobody could have said here, each with the member and why."""
    latest, repetitions = stamp(now + AHEAD), Repetitions()
    for commit in commits:
        if fault := repetitions.find_fault(commit.command):
            yield commit.version, fault
        repetitions.add(commit.command)
        if commit.at > latest:
            yield commit.version, f"at: {commit.at} is yet to come"
        for member in _TOLD:
            for place, text in _walk(member, msgspec.to_builtins(getattr(commit, member))):
                if fault := _find_fault(place, text):
                    yield commit.version, f"{place}: {fault}"


def _find_fault(place: str, text: str) -> str:
    """An open seat has no name, and a player's is in none of the files."""
    is_name = place.startswith("command.") and place.endswith(".name") and text
    return find_name_fault(text) if is_name else find_text_fault(text)


def _walk(place: str, thing: Any) -> Iterator[tuple[str, str]]:
    """Every text in it, with where it stands."""
    if isinstance(thing, str):
        yield place, thing
    elif isinstance(thing, dict):
        for name, item in thing.items():
            yield from _walk(f"{place}.{name}", item)
    elif isinstance(thing, (list, tuple)):
        for number, item in enumerate(thing):
            yield from _walk(f"{place}.{number}", item)
