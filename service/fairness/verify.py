"""Checks a finished game with nothing but its commits: chain, commitment, every event decided again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from events.chain import Broken, check_chain
from events.codec import Unreadable, convert_raw
from events.commands import Create
from events.commit import FORMAT, Commit
from events.types import GameCreated
from rules.editions import EDITIONS
from rules.releases import Editions, UnknownRules
from service.fairness.decide_again import decide_again, find_rules
from service.fairness.rolls import check_rolls
from service.fairness.segments import Segment, find_segments
from service.timestamps import is_stamp

Segments = Sequence[Segment]


class Verdict(Struct, frozen=True):
    """`ok` is null where all that can be checked holds, and `unchecked` says what could not and why."""

    ok: bool | None
    commits: int
    events: int = 0
    game: str = ""
    head: str = ""
    version: int | None = None
    fault: str | None = None
    unchecked: str | None = None


def verify(raws: Sequence[Any], editions: Editions = EDITIONS) -> Verdict:
    """The commits as exported or as stored, from the first to the last."""
    try:
        head = check_chain(raws)
        commits = [_read(version, raw) for version, raw in enumerate(raws, 1)]
        _check_times(commits)
        segments = find_segments(commits)
        created = _find_creation(commits)
        unchecked = _check_events(raws, commits, created, segments, editions)
    except Broken as broken:
        return Verdict(False, len(raws), version=broken.version or None, fault=broken.why)
    except RecursionError:
        return Verdict(False, len(raws), fault="it is nested too deeply to be a game")
    events = sum(len(commit.events) for commit in commits)
    game = segments[-1].game
    return Verdict(None if unchecked else True, len(raws), events, game, head, unchecked=unchecked)


def _check_events(
    raws: Sequence[Any],
    commits: Sequence[Commit],
    created: GameCreated,
    segments: Segments,
    editions: Editions,
) -> str | None:
    """What could not be checked, if anything: by unknown rules nothing can be decided again."""
    try:
        rules = find_rules(commits, created, editions)
    except UnknownRules as unknown:
        check_rolls(segments)
        return f"this program does not know {unknown}"
    seeds = [segment.seed for segment in segments for _ in segment.commits]
    decide_again(raws, commits, seeds, rules)
    return None


def _read(version: int, raw: dict[str, Any]) -> Commit:
    if raw.get("format", 1) not in range(FORMAT + 1):
        raise Broken(version, "it is written in a format that this program does not know")
    try:
        return convert_raw(raw)
    except Unreadable as fault:
        raise Broken(version, f"it is no commit: {fault}") from fault


def _check_times(commits: Sequence[Commit]) -> None:
    before = ""
    for commit in commits:
        if not is_stamp(commit.at):
            raise Broken(commit.version, "its time is none that the service writes")
        if commit.at < before:
            raise Broken(commit.version, f"it was made at {commit.at}, before the commit that it follows")
        before = commit.at


def _find_creation(commits: Sequence[Commit]) -> GameCreated:
    """The first event: it repeats what was asked for, and names the release of the whole game."""
    command, event = commits[0].command, next(iter(commits[0].events), None)
    if not isinstance(command, Create) or not isinstance(event, GameCreated):
        raise Broken(1, "a game begins with its creation")
    asked = (command.game, command.edition, command.seats, command.commitment)
    if asked != (event.game, event.edition, event.seats, event.commitment):
        raise Broken(1, "its first event tells of another game than its command")
    if (command.rematch_of, command.visibility) != (event.rematch_of, event.visibility):
        raise Broken(1, "its first event tells otherwise than its command who sees it, or what it follows")
    for commit in commits:
        if commit.rules != event.rules:
            raise Broken(commit.version, f"it names release {commit.rules} in a game of {event.rules}")
    return event
